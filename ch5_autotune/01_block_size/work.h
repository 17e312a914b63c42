// What a CPU's kernels get, and who does it.
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
  int shares;  // pieces for each thread; with more than one, who is done takes the next
};
