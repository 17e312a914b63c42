// Stage 2 with a warp for each row: in each step its lanes read 32 neighbouring pixels.
#pragma once

#include "stages.cuh"

namespace {

constexpr int kWarp = 32, kRowsPerBlock = kBlock / kWarp;

__global__ void row_levels_by_warp(Profiling::Args p, wb::i64 frame, float* level) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= p.rows) return;  // for all lanes of a warp
  const float* pixels = p.image + frame * p.pixels() + row * p.columns;
  float sum = 0;
  for (wb::i64 column = lane; column < p.columns; column += kWarp) sum += pixels[column];
  for (int apart = kWarp / 2; apart > 0; apart /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, apart);  // adds the sums of the lanes
  if (lane == 0) level[row] = sum / static_cast<float>(p.columns);
}

inline unsigned row_blocks(const Profiling::Args& p) {
  return static_cast<unsigned>((p.rows + kRowsPerBlock - 1) / kRowsPerBlock);
}

}  // namespace
