#include <mutex>
#include <set>

#include "model/case_text.h"
#include "wb/problem.h"
#include "wb/variant.h"

namespace wb {

std::string label(const Case& c) {
  std::string text;
  for (const Axis& axis : c) {
    text += text.empty() ? "" : ",";
    if (!axis.word || (*axis.word >= '0' && *axis.word <= '9'))
      text += std::string(axis.name) + "=";
    text += value_of(axis);
  }
  return text.empty() ? "empty" : text;
}

const char* keep(std::string_view text) {
  static std::set<std::string, std::less<>> kept;
  static std::mutex mutex;  // results are read in several threads
  const std::lock_guard lock(mutex);
  const auto found = kept.find(text);
  return (found != kept.end() ? found : kept.emplace(text).first)->c_str();
}

Registry& linked_variants() {
  static Registry all;
  return all;
}

bool link_variant(const Problem& problem, const char* name, const char* backend,
                  std::function<Launch(const void*)> make) {
  linked_variants().push_back({&problem, name, backend, std::move(make)});
  return true;
}

}  // namespace wb
