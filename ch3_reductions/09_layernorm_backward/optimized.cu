// Changes against step 1: x and dy are read once. A block stays for many rows,
// and its threads have the same columns of each: so the sums of dy * xhat and of dy stay in
// registers until all rows are done, and so do xhat and g between the two means of a row and its
// dx. There are as many slabs as blocks.
//
// A block asks for its next row before it computes. What a thread has asked for arrives in shared
// memory (cp.async), in a part that no other thread reads.
//
// Predict: step 1 moves five arrays, this one three. In fp32 a thread has 8 elements of a row of
// 8192; how many registers do x, dy, weight, dweight and dbias take?
#include <cuda_pipeline.h>

#include "../norms/slabs.cuh"
#include "layernorm_backward.h"

namespace {

constexpr int kElements = 8, kMostThreads = 1024;  // per thread; per block

template <class T>
__global__ void __launch_bounds__(kMostThreads, 1) row_after_row(Norm<T> n, float* partial) {
  constexpr int kWidth = Pack<T>::kWidth, kLoads = kElements / kWidth;
  extern __shared__ uint4 ahead[];  // two rows: of each x, then dy
  __shared__ float2 of_warp[2][kWarp];
  const int threads = blockDim.x, thread = threadIdx.x, columns = static_cast<int>(n.columns);
  const auto column = [&](int i) { return (i * threads + thread) * kWidth; };
  const auto place = [&](int turn, int array, int i) {
    return ahead + ((turn * 2 + array) * kLoads + i) * threads + thread;
  };
  const auto fetch = [&](i64 row, int turn) {
    if (row < n.rows)
      for (int i = 0; i < kLoads; ++i)
        if (column(i) < columns) {
          __pipeline_memcpy_async(place(turn, 0, i), n.row_of_x(row) + column(i), 16);
          __pipeline_memcpy_async(place(turn, 1, i), n.dy + row * n.columns + column(i), 16);
        }
    __pipeline_commit();
  };
  float weight[kElements] = {}, dweight[kElements] = {}, dbias[kElements] = {};
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (column(i) < columns)
      Pack<T>::load(n.weight + column(i)).to_floats(weight + i * kWidth);
    else  // zeros, for all rows
      for (int array = 0; array < 4; ++array) *place(array / 2, array % 2, i) = {};
  int turn = 0;
  fetch(blockIdx.x, 0);
  for (i64 row = blockIdx.x; row < n.rows; row += gridDim.x, turn ^= 1) {
    fetch(row + gridDim.x, turn ^ 1);
    const float mean = n.saved_mean(row), rstd = n.rstd[row];
    float xhat[kElements], g[kElements];
    float2 sums = {0, 0};
    __pipeline_wait_prior(1);  // this row is there, the next one is on its way
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      Pack<T>{*place(turn, 0, i)}.to_floats(xhat + i * kWidth);
      Pack<T>{*place(turn, 1, i)}.to_floats(g + i * kWidth);
    }
#pragma unroll
    for (int j = 0; j < kElements; ++j) {
      xhat[j] = (xhat[j] - mean) * rstd;
      dweight[j] += g[j] * xhat[j], dbias[j] += g[j];
      g[j] *= weight[j];
      sums.x += g[j], sums.y += g[j] * xhat[j];
    }
    sums = over_block(sums, of_warp[turn]);
    const float of_g = n.rms ? 0 : sums.x * n.share, of_gx = sums.y * n.share;
#pragma unroll
    for (int j = 0; j < kElements; ++j) g[j] = rstd * (g[j] - of_g - xhat[j] * of_gx);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (column(i) < columns)
        Pack<T>::of(g + i * kWidth).store_once(n.dx + row * n.columns + column(i));
  }
  partial += blockIdx.x * 2 * n.columns;
#pragma unroll
  for (int j = 0; j < kElements; ++j)
    if (const int at = column(j / kWidth) + j % kWidth; at < columns)
      partial[at] = dweight[j], partial[n.columns + at] = dbias[j];
}

auto make(const LayerNormBackward::Args& p) {
  const auto threads = static_cast<int>(std::max(blocks(p.columns, kElements * kWarp), 1u)) * kWarp;
  const auto bytes =
      static_cast<int>(4 * kElements * threads * LayerNormBackward::element_bytes(p.dtype));
  unsigned grid = 0;
  with_norm(p, [&]<class T>(const Norm<T>& n) {
    if (!n.fills_packs() || threads > kMostThreads)
      throw wb::Unsupported("rows of up to 8 Ki elements, in whole loads of 16 bytes");
    const auto kernel = row_after_row<T>;
    wb::allow_shared(kernel, bytes);
    int each = 0;  // blocks that a multiprocessor holds
    WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, bytes));
    const i64 all = i64{each} * multiprocessors();
    grid = static_cast<unsigned>(std::min(n.rows, all));
  });
  const auto partial = wb::make_device_array<float>(partial_floats(p.columns, grid) + 1);
  return [=](cudaStream_t stream) {
    with_norm(p, [&](auto n) {
      if (grid > 0) row_after_row<<<grid, threads, bytes, stream>>>(n, partial.get());
      add_slabs(n, partial.get(), grid, stream);
    });
  };
}

}  // namespace

WB_CUDA(LayerNormBackward, optimized, make);
