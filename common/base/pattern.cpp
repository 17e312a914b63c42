#include "base/pattern.h"

#include <map>
#include <regex>

namespace wb {

namespace {

// To compile a pattern takes longer than to try it on a line, and most are tried on many.
const std::regex& compiled(const std::string& pattern) {
  thread_local std::map<std::string, std::regex> known;
  if (known.size() > 200) known.clear();  // some are made of what a file says
  const auto found = known.find(pattern);
  return found != known.end() ? found->second : known.emplace(pattern, pattern).first->second;
}

}  // namespace

std::vector<std::string> find_pattern(const std::string& text, const std::string& pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, compiled(pattern))) return {};
  return {found.begin(), found.end()};
}

std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& by) {
  return std::regex_replace(text, compiled(pattern), by);
}

}  // namespace wb
