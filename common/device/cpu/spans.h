// The spans of wb/cpu.h, which stand on a CPU for a GPU's activity records.
#pragma once

#include <vector>

#include "model/trace.h"

namespace wb {

// What spans have said since keep_spans(true), in seconds from `start` on. None says more.
std::vector<Interval> end_spans(double start);

}  // namespace wb
