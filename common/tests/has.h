// What most tests of texts ask.
#pragma once

#include <string_view>

namespace wb {

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace wb
