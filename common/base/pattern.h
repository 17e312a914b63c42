// Regular expressions, as ECMAScript has them, compiled in one place: <regex> takes a compiler
// seconds.
#pragma once

#include <string>
#include <vector>

namespace wb {

// What `pattern` finds first in `text`: the whole, then its groups, "" for one that took no part.
// Empty where it finds nothing.
std::vector<std::string> find_pattern(const std::string& text, const std::string& pattern);

// All that `pattern` finds, replaced; $1 in `by` is its first group.
std::string replace_pattern(const std::string& text, const std::string& pattern,
                            const std::string& by);

}  // namespace wb
