// The three stages on the GPU. A frame is a grid: blocks along x share a row, y is the row.
#pragma once

#include "profiling.h"
#include "wb/cuda.h"

namespace {

constexpr int kBlock = 256;

__device__ inline wb::i64 column_of_thread() {
  return static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Stage 1: the sensor's curve and the gain.
__global__ void correct(Profiling::Args p, wb::i64 frame, const float* gain) {
  const wb::i64 column = column_of_thread();
  if (column >= p.columns) return;
  const wb::i64 i = frame * p.pixels() + blockIdx.y * p.columns + column;
  p.image[i] = gain[column] * light(p.raw[i]);
}

// Stage 2: the mean of each row.
__global__ void row_levels(Profiling::Args p, wb::i64 frame, float* level) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= p.rows) return;
  const float* pixels = p.image + frame * p.pixels() + row * p.columns;
  float sum = 0;
  for (wb::i64 column = 0; column < p.columns; ++column) sum += pixels[column];
  level[row] = sum / static_cast<float>(p.columns);
}

// Stage 3: the level is taken off.
__global__ void subtract(Profiling::Args p, wb::i64 frame, const float* level) {
  const wb::i64 column = column_of_thread();
  if (column >= p.columns) return;
  p.image[frame * p.pixels() + blockIdx.y * p.columns + column] -= level[blockIdx.y];
}

// The grid of stages 1 and 3.
inline dim3 pixel_grid(const Profiling::Args& p) {
  return wb::grid((p.columns + kBlock - 1) / kBlock, p.rows);
}
inline bool empty(const Profiling::Args& p) { return p.frames == 0 || p.rows == 0; }

}  // namespace
