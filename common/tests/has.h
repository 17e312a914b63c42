// What most tests of texts ask.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

namespace wb {

// Whether `part` is in `text`. A test that fails shows the text.
inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != text.npos;
  return testing::AssertionResult(found)
         << '"' << part << (found ? "\" is in\n" : "\" is not in\n") << text;
}

}  // namespace wb
