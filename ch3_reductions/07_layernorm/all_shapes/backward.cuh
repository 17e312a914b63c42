// The backward pass in two stages. A block per row finds the two means that its dx needs. Then each
// block has some columns of some rows: it writes dx there, and keeps the sums over its rows, one
// per column, in registers. It leaves those in `partial`, and a last kernel adds them up, always in
// the same order. x and dy are read twice.
#pragma once

#include "../slabs.cuh"
#include "sums.cuh"

namespace {

constexpr int kTileThreads = 256;  // of a block that has some columns
constexpr int kTiles = 1024;       // blocks that have some columns of some rows, or so

template <int kWidth, class T>
__global__ void __launch_bounds__(kTileThreads) row_sums(Norm<T> n, RowSums* sums) {
  __shared__ float2 of_warp[kWarp];
  const i64 row = blockIdx.x;
  const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
  const float mean = n.saved_mean(row), rstd = n.rstd[row];
  float2 sum = {0, 0};
#pragma unroll 4
  for (i64 i = threadIdx.x * kWidth; i < n.columns; i += kTileThreads * kWidth) {
    float x_at[kWidth], dy_at[kWidth], weight[kWidth];
    Pack<T, kWidth>::load_once(x + i).to_floats(x_at);
    Pack<T, kWidth>::load_once(dy + i).to_floats(dy_at);
    Pack<T, kWidth>::load(n.weight + i).to_floats(weight);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      const float g = dy_at[j] * weight[j];
      sum.x += g, sum.y += g * (x_at[j] - mean) * rstd;
    }
  }
  sum = over_block(sum, of_warp);
  const float columns = static_cast<float>(n.columns);
  if (threadIdx.x == 0) sums[row] = {n.rms ? 0 : sum.x / columns, sum.y / columns};
}

template <int kWidth, class T>
__global__ void __launch_bounds__(kTileThreads)
    dx_and_columns(Norm<T> n, const RowSums* sums, float* partial, i64 rows_per_slab) {
  const i64 column = (static_cast<i64>(blockIdx.x) * kTileThreads + threadIdx.x) * kWidth;
  if (column >= n.columns) return;
  const i64 first = blockIdx.y * rows_per_slab, behind = first + rows_per_slab;
  float weight[kWidth], dweight[kWidth] = {}, dbias[kWidth] = {};
  Pack<T, kWidth>::load(n.weight + column).to_floats(weight);
#pragma unroll 4
  for (i64 row = first; row < (behind < n.rows ? behind : n.rows); ++row) {
    const float mean = n.saved_mean(row), rstd = n.rstd[row];
    const RowSums row_sum = sums[row];
    float x[kWidth], dy[kWidth], dx[kWidth];
    Pack<T, kWidth>::load_once(n.row_of_x(row) + column).to_floats(x);
    Pack<T, kWidth>::load_once(n.dy + row * n.columns + column).to_floats(dy);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      const float xhat = (x[j] - mean) * rstd;
      dx[j] = rstd * (dy[j] * weight[j] - row_sum.g - xhat * row_sum.gx);
      dweight[j] += dy[j] * xhat, dbias[j] += dy[j];
    }
    Pack<T, kWidth>::of(dx).store_once(n.dx + row * n.columns + column);
  }
  partial += blockIdx.y * 2 * n.columns + column;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) partial[j] = dweight[j], partial[n.columns + j] = dbias[j];
}

inline i64 slabs_for(i64 columns) {
  return std::max<i64>(kTiles / (columns / (kTileThreads * 8) + 1), 1);
}

// What set-up allocates for it.
struct TwoStages {
  explicit TwoStages(const LayerNorm::Args& p)
      : rows_per_slab((p.rows + slabs_for(p.columns) - 1) / slabs_for(p.columns)),
        slabs(rows_per_slab ? (p.rows + rows_per_slab - 1) / rows_per_slab : 0),
        sums(wb::make_device_array<RowSums>(p.backward ? p.rows + 1 : 1)),
        partial(
            wb::make_device_array<float>(p.backward ? partial_floats(p.columns, slabs) + 1 : 1)) {}

  template <int kWidth, class T> void run(const Norm<T>& n, cudaStream_t stream) const {
    if (n.rows > 0) {
      row_sums<kWidth><<<static_cast<unsigned>(n.rows), kTileThreads, 0, stream>>>(n, sums.get());
      const dim3 grid(blocks(n.columns, kTileThreads * kWidth), static_cast<unsigned>(slabs));
      dx_and_columns<kWidth>
          <<<grid, kTileThreads, 0, stream>>>(n, sums.get(), partial.get(), rows_per_slab);
    }
    add_slabs(n, partial.get(), slabs, stream);
  }

  i64 rows_per_slab, slabs;
  std::shared_ptr<RowSums[]> sums;
  std::shared_ptr<float[]> partial;
};

}  // namespace
