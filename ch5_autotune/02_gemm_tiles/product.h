// The matrices that the CPU's kernel multiplies.
#pragma once

#include <cstdint>

namespace tiles {

using i64 = std::int64_t;

struct Product {
  i64 m, n, k;
  const float *a, *b;
  float* c;
};

}  // namespace tiles
