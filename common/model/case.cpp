#include <set>

#include "wb/problem.h"
#include "wb/variant.h"

namespace wb {

std::string label(const Case& c) {
  std::string text;
  for (const Axis& axis : c) {
    text += text.empty() ? "" : ",";
    if (!axis.word || (*axis.word >= '0' && *axis.word <= '9'))
      text += std::string(axis.name) + "=";
    text += axis.word ? axis.word : std::to_string(axis.number);
  }
  return text.empty() ? "empty" : text;
}

const char* keep(std::string_view text) {
  static std::set<std::string, std::less<>> kept;
  const auto found = kept.find(text);
  return (found != kept.end() ? found : kept.emplace(text).first)->c_str();
}

// SplitMix64's finalizer (Steele, Lea, Flood 2014) on a counter: element i costs the same whatever
// was drawn before it, so arrays fill in parallel and any part can be drawn again.
double uniform(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) * 0x1p-23 - 1.0;
}

Registry& linked_variants() {
  static Registry all;
  return all;
}

}  // namespace wb
