// How people call a case: "64 chunks of 2 Mi samples".
#pragma once

#include <string>
#include <vector>

#include "wb/axes.h"

namespace wb {

// "4096", "64 Ki", "2 Mi", "100,003": from `least` on a few units of 1024, or else with commas.
std::string format_number(i64 number, i64 least = 1 << 16);

// From the first of a problem's patterns (see wb/problem.h) whose axes the case has, then the axes
// that it leaves out, but for the class "size"; without a pattern from the axes alone: "4096
// points, 200 steps". So two cases that differ have two names.
std::string case_name(const Case& c, const std::vector<std::string>& patterns = {});

}  // namespace wb
