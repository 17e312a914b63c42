// Rows that are too long for a cluster: two launches. All blocks find the moments of pieces of
// rows, so that a few rows keep all of them busy. Then they write y, the last rows first, because
// L2 still has their x. So x comes from memory twice, less the part that L2 has kept. 64 rows of
// 512 Ki in fp32 are 3 * 134 MB less some 40 MB, 83 us at 4.4 TB/s; they take 114 us (H200,
// 2026-11-26). Blocks that keep such rows in registers and wait for each other take 106 us, with
// twice the code, and only where rows are aligned. A block that reads its own row again at once
// would find it in L2. But weight and bias come from L2 as well, as many bytes as x for each row.
// Here a block writes the same columns of several rows, and its weight and bias stay in registers.
#pragma once

#include "../moments.cuh"
#include "sums.cuh"

namespace {

constexpr int kTogether = 4;  // loads in flight, whose elements get moments of their own
constexpr int kRowsAtOnce = 2;

// `pieces` blocks per row have `piece` columns each, the last one what is left. A piece may begin
// anywhere: single elements up to an address that 16 divides, and at the end.
template <class T>
__global__ void __launch_bounds__(kMostThreads, 3 * kHeld / 4)
    moments_of_pieces(Norm<T> n, int pieces, i64 piece, Moments* to) {
  constexpr int kWidth = Pack<T>::kWidth;
  __shared__ Moments of_warp[kWarp];
  const i64 begin = blockIdx.x % pieces * piece;
  const Packs<T> x(n.row_of_x(blockIdx.x / pieces) + begin, min(piece, n.columns - begin));
  const int thread = threadIdx.x;
  Moments own{};
  if (thread < x.in_front + x.behind) {
    const float value = x.template edge<Plus>(thread);
    own = {1, n.rms ? 0 : value, n.rms ? value * value : 0};
  }
  for (i64 first = thread; first < x.count; first += kTogether * kMostThreads) {
    const auto has = [&](int i) { return first + i * kMostThreads < x.count; };
    Pack<T> pack[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (has(i)) pack[i].words = __ldg(&x.pack[first + i * kMostThreads].words);
    Moments few{};
    float value[kWidth];
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (has(i)) {
        few.count += kWidth;
        if (n.rms) continue;
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) few.mean += value[j];
      }
    few.mean /= few.count;
#pragma unroll
    for (int i = 0; i < kTogether; ++i)
      if (has(i)) {
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) few.m2 += (value[j] - few.mean) * (value[j] - few.mean);
      }
    own.merge(few);
  }
  own = over_block(own, of_warp);
  if (thread == 0) to[blockIdx.x] = own;
}

// A block has kStrip columns of up to `group` rows, single elements: a thread's columns are the
// same in all rows, wherever these begin. The last block, which starts first, has the last rows.
template <class T>
__global__ void __launch_bounds__(kMostThreads, kHeld / 2)
    write_strips(Norm<T> n, int pieces, const Moments* of_piece, int group) {
  constexpr int kEach = kStrip / kMostThreads;
  using One = Pack<T, 1>;
  __shared__ float2 of_row[kMostGroup];  // mean and rstd
  const i64 strips = (n.columns + kStrip - 1) / kStrip;
  const i64 index = i64{gridDim.x} - 1 - blockIdx.x, top = index / strips * group;
  const i64 column = index % strips * kStrip + threadIdx.x;
  const int rows = static_cast<int>(min(i64{group}, n.rows - top));
  const int left = static_cast<int>(min(n.columns - column, i64{kStrip}));
  const auto has = [&](int i) { return i * kMostThreads < left; };
  // A row's moments, by a warp: always in the same order.
  const int lane = threadIdx.x % kWarp;
  for (int r = threadIdx.x / kWarp; r < rows; r += kMostThreads / kWarp) {
    Moments all{};
    for (int i = lane; i < pieces; i += kWarp) all.merge(of_piece[(top + r) * pieces + i]);
    all = over_warp(all);
    if (lane == 0) of_row[r] = {all.mean, n.rstd_of(all.m2)};
  }
  float weight[kEach], bias[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    weight[i] = has(i) ? wb::to_float(n.weight[column + i * kMostThreads]) : 0;
    bias[i] = n.bias && has(i) ? wb::to_float(n.bias[column + i * kMostThreads]) : 0;
  }
  __syncthreads();

  const T* x = n.row_of_x(top + rows - 1) + column;
  T* y = n.y + (top + rows - 1) * n.columns + column;
  for (int last = rows - 1; last >= 0; last -= kRowsAtOnce) {
    One kept[kRowsAtOnce][kEach];
#pragma unroll
    for (int r = 0; r < kRowsAtOnce; ++r, x -= n.stride)
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        if (r <= last && has(i)) kept[r][i] = One::load_once(x + i * kMostThreads);
#pragma unroll
    for (int r = 0; r < kRowsAtOnce; ++r, y -= n.columns) {
      const float2 own = of_row[max(last - r, 0)];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        if (r <= last && has(i)) {
          float v;
          kept[r][i].to_floats(&v);
          v = n.y_of(v, own.x, own.y, weight[i], bias[i]);
          One::of(&v).store_once(y + i * kMostThreads);
        }
    }
  }
}

}  // namespace
