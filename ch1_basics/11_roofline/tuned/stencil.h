// The stencil with vectors: only the first and the last one of a row see the edge, stores go past
// the caches where a row of the result starts on a vector, and rows are asked for in advance.
#pragma once

#include <algorithm>
#include <vector>

#include "../roofline.h"
#include "vector.h"

namespace {

// `zeros` is a row of n zeros: the rows above the grid and below it.
inline void five_points(const Roofline::Args& p, const std::vector<float>& zeros) {
  const wb::i64 m = p.m, n = p.n;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (wb::i64 i = 0; i < m; ++i) {
      const float* here = p.a + i * n;
      const float* up = i > 0 ? here - n : zeros.data();
      const float* down = i + 1 < m ? here + n : zeros.data();
      float* to = p.c + i * n;
      const bool past_caches = aligned(to);
      wb::i64 j = 0;
      for (; j + kLanes <= n; j += kLanes) {
        const float* beside = here + j;
        float rim[kLanes + 2];
        if (j == 0 || j + kLanes == n) {  // a copy with a zero where there is no neighbour
          std::fill(rim, rim + kLanes + 2, 0.0f);
          std::copy(here + std::max<wb::i64>(j - 1, 0), here + std::min(j + kLanes + 1, n),
                    rim + (j == 0));
          beside = rim + 1;
        }
        const Vector around = load(up + j) + load(down + j) + load(beside - 1) + load(beside + 1);
        const Vector result = 0.5f * load(here + j) + 0.125f * around;
        __builtin_prefetch(down + j + n);  // two rows ahead
        past_caches ? stream(to + j, result) : store(to + j, result);
      }
      for (; j < n; ++j)
        to[j] =
            stencil(here[j], up[j], down[j], j > 0 ? here[j - 1] : 0, j + 1 < n ? here[j + 1] : 0);
    }
    finish_streaming();
  }
}

}  // namespace
