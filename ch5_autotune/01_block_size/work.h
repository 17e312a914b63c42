// The data that a CPU's kernels get, and the threads that work on it.
#pragma once

#include <cstdint>

using i64 = std::int64_t;

// The arrays begin at multiples of 64 bytes.
struct Work {
  i64 rows, columns;  // of a and b; add has one row
  const float* a;
  const float* b;
  float* y;
};

struct Team {
  int threads;
  int shares;  // pieces for each thread; a thread that is done takes the next one
};
