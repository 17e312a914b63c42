// The exercise, solved. A thread has as many neighbouring columns as 16 bytes hold, and some rows
// of them: it loads four rows of x and dy before it uses the first. Slabs are as many as give each
// multiprocessor eight blocks of 128 threads, but of 16 rows at least: each slab costs two floats
// per column, written and read once.
#include "../norms/slabs.cuh"
#include "layernorm_backward.h"

namespace {

constexpr int kThreads = 128, kBlocks = 8;  // per block, and per multiprocessor
constexpr i64 kFewestRows = 16;             // of a slab

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads) slab_of(Norm<T> n, i64 rows_per_slab, float* partial) {
  const i64 column = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) * kWidth;
  if (column >= n.columns) return;
  const i64 first = blockIdx.y * rows_per_slab, end = min(first + rows_per_slab, n.rows);
  float dweight[kWidth] = {}, dbias[kWidth] = {};
#pragma unroll 4
  for (i64 row = first; row < end; ++row) {
    const float mean = n.saved_mean(row), rstd = n.rstd[row];
    float x[kWidth], dy[kWidth];
    Pack<T, kWidth>::load_once(n.row_of_x(row) + column).to_floats(x);
    Pack<T, kWidth>::load_once(n.dy + row * n.columns + column).to_floats(dy);
#pragma unroll
    for (int j = 0; j < kWidth; ++j)
      dweight[j] += dy[j] * ((x[j] - mean) * rstd), dbias[j] += dy[j];
  }
  partial += blockIdx.y * 2 * n.columns + column;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) partial[j] = dweight[j], partial[n.columns + j] = dbias[j];
}

auto make(const WeightGradients::Args& p) {
  const i64 across = std::max(blocks(p.columns, kThreads * 4), 1u);  // blocks per slab
  const i64 wanted = kBlocks * i64{multiprocessors()} / across + 1;
  const i64 rows_per_slab = std::max<i64>(blocks(p.rows, wanted), kFewestRows);
  const i64 slabs = blocks(p.rows, rows_per_slab);
  const auto partial = wb::make_device_array<float>(partial_floats(p.columns, slabs) + 1);
  return [=](cudaStream_t stream) {
    with_norm(p, [&]<class T>(const Norm<T>& n) {
      const auto with_width = [&](auto width) {
        const dim3 grid(blocks(n.columns, kThreads * width()), static_cast<unsigned>(slabs));
        if (slabs > 0)
          slab_of<width()><<<grid, kThreads, 0, stream>>>(n, rows_per_slab, partial.get());
      };
      if (n.fills_packs())
        with_width(std::integral_constant<int, Pack<T>::kWidth>());
      else
        with_width(std::integral_constant<int, 1>());
      add_slabs(n, partial.get(), slabs, stream);
    });
  };
}

}  // namespace

WB_CUDA(WeightGradients, solution, make);
