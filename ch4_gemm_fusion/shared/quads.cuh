// Four neighbours in a row of a row-major matrix: 16 bytes at once where every row begins at a
// multiple of 16 bytes (columns % 4 == 0), else one by one. Outside of the matrix are zeros.
#pragma once

#include "wb/cuda.h"

namespace {

__device__ inline float4 load_quad(const float* matrix, wb::i64 rows, wb::i64 columns, wb::i64 row,
                                   wb::i64 column) {
  if (row >= rows || column >= columns) return {};
  const float* from = matrix + row * columns + column;
  if (columns % 4 == 0) return *reinterpret_cast<const float4*>(from);
  const wb::i64 left = columns - column;
  return {from[0], left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, left > 3 ? from[3] : 0};
}

__device__ inline void store_quad(float* matrix, wb::i64 rows, wb::i64 columns, wb::i64 row,
                                  wb::i64 column, float4 quad) {
  if (row >= rows || column >= columns) return;
  float* to = matrix + row * columns + column;
  const float values[4] = {quad.x, quad.y, quad.z, quad.w};
  if (columns % 4 == 0)
    *reinterpret_cast<float4*>(to) = quad;
  else
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (column + i < columns) to[i] = values[i];
}

}  // namespace
