// Changes against step 2: the row stays in registers, 32 elements per thread, and comes in loads of
// 16 bytes. A thread asks for all of its elements before it uses the first. (In step 2 six rows of
// 32 KiB fit into shared memory, but there are only enough threads for four, and each of them waits
// for one float after the other.) A thread takes the exponentials relative to the maximum of its
// own share, and corrects them by one factor when it learns the row's maximum: one exponential per
// element, not three.
//
// Elements that do not fit into registers are read twice, as in step 1: those after the first 32 Ki
// of a row, and all rows that are no whole number of such loads. 07_softmax_long and
// all_shapes read them once.
//
// Predict: a thread takes 64 registers, a row of 8192 a block of 256. How many blocks fit into a
// multiprocessor's 65,536 registers, and how many bytes are on their way when all have begun?
#include <algorithm>

#include "../shared/pack.cuh"
#include "../softmax/online.cuh"
#include "reader.cuh"

namespace {

constexpr int kElements = 32, kMostThreads = 1024;

template <class T> __global__ void __launch_bounds__(kMostThreads) softmax(Rows<T> r, int kept) {
  constexpr int kWidth = Pack<T>::kWidth, kLoads = kElements / kWidth;
  __shared__ Part of_warp[kWarp];
  const int threads = blockDim.x;
  const T* const x = r.x + blockIdx.x * r.stride;
  T* const y = r.out + blockIdx.x * r.stride;
  const auto at = [&](int i) { return (i * threads + static_cast<int>(threadIdx.x)) * kWidth; };
  Pack<T> pack[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (at(i) < kept) pack[i] = Pack<T>::load(x + at(i));
  float value[kElements];
  Part own = kNothing;
#pragma unroll
  for (int i = 0; i < kElements; ++i) {
    if (i % kWidth == 0) pack[i / kWidth].to_floats(value + i);
    if (at(i / kWidth) >= kept) value[i] = -INFINITY;
    own.max = fmaxf(own.max, value[i]);
  }
#pragma unroll
  for (int i = 0; i < kElements; ++i) own.sum += value[i] = scale(value[i], own.max);
  Part part = own;
  for (i64 i = kept + threadIdx.x; i < r.columns; i += threads)
    part = combine(part, {wb::to_float(x[i]), 1});

  const Part all = over_block(part, of_warp, kNothing);
  const float factor = scale(own.max, all.max) / all.sum;
#pragma unroll
  for (int i = 0; i < kElements; ++i) value[i] *= factor;
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (at(i) < kept) Pack<T>::of(value + i * kWidth).store(y + at(i));
  for (i64 i = kept + threadIdx.x; i < r.columns; i += threads)
    y[i] = wb::from_float<T>(exponential(wb::to_float(x[i]) - all.max) / all.sum);
}

auto make(const Softmax::Args& p) {
  forward_with_reader(p);
  return [p, read = reader(p)](cudaStream_t stream) {
    with_rows(p, [&]<class T>(Rows<T> r) {
      const i64 warps = blocks(r.columns, kElements * kWarp);
      const int threads = static_cast<int>(std::min<i64>(warps * kWarp, kMostThreads));
      const bool even = fill_packs({r.x, r.out}, r.columns | r.stride, Pack<T>::kWidth);
      const i64 kept = even ? std::min<i64>(r.columns, threads * kElements) : 0;
      softmax<<<static_cast<unsigned>(r.rows), threads, 0, stream>>>(r, static_cast<int>(kept));
    });
    read(stream);
  };
}

}  // namespace

WB_CUDA(Softmax, optimized, make);
