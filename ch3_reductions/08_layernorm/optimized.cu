// Changes against step 2: x is read once. It waits in registers while its mean is found, and then
// its variance: both as the formulas say, in two passes over what is kept. That is simpler than
// Welford's method, and more exact. A thread has four loads of 16 bytes, all in flight at once; a
// row of 8192 in fp32 has a block of 512. While a block waits at a barrier for its mean, others on
// the multiprocessor load or store.
//
// Rows of more than 64 KiB, and those that are no whole number of such loads, are read again for
// each pass, as in the baseline. all_shapes has better for them: 07_softmax_long shows how.
//
// Predict: what is left to gain for rows of 8192 against a plain copy? Every block reads weight and
// bias as well, twice as much as a row: from where?
#include "../norms/norms.cuh"
#include "layernorm.h"

namespace {

constexpr int kLoads = 4, kMostThreads = 1024;

// Blocks per multiprocessor that there must be registers for: two leave 32 per thread, which is
// what four loads of fp32 need. A GPU whose multiprocessors hold fewer than 2048 threads has one.
constexpr int kBlocks = kResidentThreads / kMostThreads;

template <bool kRms, class T>
__global__ void __launch_bounds__(kMostThreads, sizeof(T) == 4 ? kBlocks : 1) kept(Norm<T> n) {
  constexpr int kWidth = Pack<T>::kWidth;
  __shared__ float of_warp[2][kWarp];
  const int first = threadIdx.x * kWidth, step = blockDim.x * kWidth;
  const int left = static_cast<int>(n.columns) - first;
  const auto has = [&](int i) { return i * step < left; };
  Pack<T> pack[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (has(i)) pack[i] = Pack<T>::load(n.row_of_x(blockIdx.x) + (first + i * step));

  float mean = 0, squares = 0, value[kWidth];
  if (!kRms) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (has(i)) {
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) mean += value[j];
      }
    mean = over_block(mean, of_warp[0]) * n.share;
  }
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (has(i)) {
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) squares += (value[j] - mean) * (value[j] - mean);
    }
  const float rstd = rsqrtf(over_block(squares, of_warp[1]) * n.share + LayerNorm::kEpsilon);
  T* const y = n.y + blockIdx.x * n.columns;
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (has(i)) {
      const int at = first + i * step;
      float weight[kWidth], bias[kWidth] = {};
      Pack<T>::load(n.weight + at).to_floats(weight);
      if (!kRms) Pack<T>::load(n.bias + at).to_floats(bias);
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) value[j] = n.y_of(value[j], mean, rstd, weight[j], bias[j]);
      Pack<T>::of(value).store(y + at);
    }
}

template <class T> __global__ void __launch_bounds__(kMostThreads) read_again(Norm<T> n) {
  __shared__ float of_warp[2][kWarp];
  const T* const x = n.row_of_x(blockIdx.x);
  T* const y = n.y + blockIdx.x * n.columns;
  float mean = 0, squares = 0;
  if (!n.rms)
    for (i64 i = threadIdx.x; i < n.columns; i += blockDim.x) mean += wb::to_float(x[i]);
  mean = over_block(mean, of_warp[0]) * n.share;
  for (i64 i = threadIdx.x; i < n.columns; i += blockDim.x)
    squares += (wb::to_float(x[i]) - mean) * (wb::to_float(x[i]) - mean);
  const float rstd = n.rstd_of(over_block(squares, of_warp[1]));
  for (i64 i = threadIdx.x; i < n.columns; i += blockDim.x)
    y[i] = wb::from_float<T>(n.y_of(wb::to_float(x[i]), mean, rstd, wb::to_float(n.weight[i]),
                                    n.rms ? 0 : wb::to_float(n.bias[i])));
}

auto make(const LayerNorm::Args& p) {
  return [=](cudaStream_t stream) {
    with_norm(p, [&]<class T>(const Norm<T>& n) {
      const auto rows = static_cast<unsigned>(n.rows);
      const unsigned threads = blocks(n.columns, kLoads * Pack<T>::kWidth * kWarp) * kWarp;
      if (n.fills_packs() && threads <= kMostThreads)
        (n.rms ? kept<true, T> : kept<false, T>)<<<rows, threads, 0, stream>>>(n);
      else
        read_again<<<rows, std::min<unsigned>(threads, kMostThreads), 0, stream>>>(n);
    });
  };
}

}  // namespace

WB_CUDA(LayerNorm, optimized, make);
