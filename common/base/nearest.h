// What a mistyped name was probably meant to be.
#pragma once

#include <string>
#include <vector>

namespace wb {

// The nearest of `known` by edit distance, whatever the case of letters, or nothing when none is
// near.
std::string nearest(const std::string& name, const std::vector<std::string>& known);

}  // namespace wb
