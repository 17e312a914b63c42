// Cases that no lesson lists, for its tests.
#pragma once

#include <cstdint>
#include <vector>

#include "wb/variant.h"

namespace wb {

// `count` cases like the lesson's test cases, with other numbers in the axes that are sizes: any
// from 1 to the largest in the list, and often beside a power of two or a multiple of 32. No more
// than twice as large, all axes multiplied, as the largest test case. An axis that has one or two
// numbers in the whole list, or none above 8, is no size and keeps those. Equal seeds give equal
// cases.
std::vector<Case> random_cases(const Problem& problem, int count, std::uint64_t seed);

}  // namespace wb
