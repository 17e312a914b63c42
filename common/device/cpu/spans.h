// The spans of wb/cpu.h, which stand on a CPU for a GPU's activity records.
#pragma once

#include <cstddef>

#include "model/trace.h"

namespace wb {

// A trace ends with the launch after which it has kEnoughSpans: on a fast machine with many cores,
// 0.05 s of short spans would be more than anything reads. A single launch may bring kMostSpans, of
// about 150 bytes each in a file.
inline constexpr std::size_t kEnoughSpans = 50'000, kMostSpans = 300'000;
bool spans_enough();

// What spans have said since keep_spans(true), in seconds from `start` on, into `trace`, or why
// that is no trace. None says more.
void end_spans(double start, Trace& trace);

}  // namespace wb
