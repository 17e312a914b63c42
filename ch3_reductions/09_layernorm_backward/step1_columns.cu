// Changes against baseline: a column has many threads, not one. First a block
// per row finds the two means that its dx needs. Then each block takes some columns of some rows,
// part of a slab: it writes dx there, keeps a sum per column in registers, and stores these sums at
// its end. A last kernel adds them up, always in the same order (slabs.cuh). x and dy are read
// twice.
//
// Predict: the baseline's column kernel has 8192 threads for 8192 columns. How many does a GPU
// with 132 multiprocessors want, and how many slabs does that make of 8192 rows?
#include "../norms/slabs.cuh"
#include "layernorm_backward.h"

namespace {

constexpr int kThreads = 256;
constexpr int kTiles = 1024;  // blocks that have some columns of some rows, or so

struct RowSums {
  float g, gx;  // means over the row of g = dy * weight and of g * xhat
};

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads) row_sums(Norm<T> n, RowSums* sums) {
  __shared__ float2 of_warp[kWarp];
  const i64 row = blockIdx.x;
  const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
  const float mean = n.saved_mean(row), rstd = n.rstd[row];
  float2 sum = {0, 0};
#pragma unroll 4
  for (i64 i = threadIdx.x * kWidth; i < n.columns; i += kThreads * kWidth) {
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
  if (threadIdx.x == 0) sums[row] = {n.rms ? 0 : sum.x * n.share, sum.y * n.share};
}

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads)
    dx_and_columns(Norm<T> n, const RowSums* sums, float* partial, i64 rows_per_slab) {
  const i64 column = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) * kWidth;
  if (column >= n.columns) return;
  const i64 first = blockIdx.y * rows_per_slab, behind = min(first + rows_per_slab, n.rows);
  float weight[kWidth], dweight[kWidth] = {}, dbias[kWidth] = {};
  Pack<T, kWidth>::load(n.weight + column).to_floats(weight);
#pragma unroll 4
  for (i64 row = first; row < behind; ++row) {
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

auto make(const LayerNormBackward::Args& p) {
  const i64 wanted = std::max<i64>(kTiles / (p.columns / (kThreads * 8) + 1), 1);
  const i64 rows_per_slab = blocks(p.rows, wanted),
            slabs = blocks(p.rows, std::max<i64>(rows_per_slab, 1));
  const auto sums = wb::make_device_array<RowSums>(p.rows + 1);
  const auto partial = wb::make_device_array<float>(partial_floats(p.columns, slabs) + 1);
  return [=](cudaStream_t stream) {
    with_norm(p, [&]<class T>(const Norm<T>& n) {
      const auto with_width = [&](auto width) {
        const auto rows = static_cast<unsigned>(n.rows);
        const dim3 grid(blocks(n.columns, kThreads * width()), static_cast<unsigned>(slabs));
        row_sums<width()><<<rows, kThreads, 0, stream>>>(n, sums.get());
        dx_and_columns<width()>
            <<<grid, kThreads, 0, stream>>>(n, sums.get(), partial.get(), rows_per_slab);
      };
      if (n.rows > 0 && n.fills_packs())
        with_width(std::integral_constant<int, Pack<T>::kWidth>());
      else if (n.rows > 0)
        with_width(std::integral_constant<int, 1>());
      add_slabs(n, partial.get(), slabs, stream);
    });
  };
}

}  // namespace

WB_CUDA(LayerNormBackward, step1_columns, make);
