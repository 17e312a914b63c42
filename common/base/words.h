// Splitting a line into words, as a shell does.
#pragma once

#include <string>
#include <vector>

namespace wb {

// Spaces and tabs stand between words; '...' and "..." keep them inside one, and outside '...' a
// backslash keeps the character behind it. Nothing is expanded. Throws Failure with code 2 for a
// quote that is not closed.
std::vector<std::string> split_words(const std::string& line);

}  // namespace wb
