// The pass that fusion saves: it masks dz in place and sums its columns, each core some rows.
#pragma once

#include <omp.h>

#include <memory>

#include "linear_relu_backward.h"

inline void mask_and_sum(wb::i64 m, wb::i64 n, const float* h, float* dz, float* db) {
  std::fill(db, db + n, 0.0f);
#pragma omp parallel
  {
    const std::unique_ptr<float[]> sums(new float[n]());
#pragma omp for
    for (wb::i64 row = 0; row < m; ++row)
      for (wb::i64 j = row * n; j < (row + 1) * n; ++j) {
        dz[j] = h[j] > 0 ? dz[j] : 0;
        sums[j - row * n] += dz[j];
      }
#pragma omp critical
    for (wb::i64 j = 0; j < n; ++j) db[j] += sums[j];
  }
}
