#include "base/pattern.h"

#include <regex>

namespace wb {

std::vector<std::string> find_pattern(const std::string& text, const std::string& pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(pattern))) return {};
  return {found.begin(), found.end()};
}

std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

}  // namespace wb
