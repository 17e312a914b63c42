// A row in a block's shared memory, wherever it begins and ends (run.cuh). It is read from memory
// once; its mean, its variance and y are computed from the copy. Weight and bias come from L2, as
// many bytes again as x and y, but while one block waits for them, another one's row is arriving.
#pragma once

#include "../../shared/run.cuh"
#include "sums.cuh"

namespace {

constexpr int kRowAtOnce = 4;  // loads of weight and bias in flight: none moves before a store

template <class T>
__global__ void __launch_bounds__(kRowThreads, kResidentThreads / kRowThreads)
    in_shared(Norm<T> n) {
  extern __shared__ uint4 row_memory[];
  __shared__ float of_warp[2][kWarp];
  const i64 row = blockIdx.x;
  const int columns = static_cast<int>(n.columns), thread = static_cast<int>(threadIdx.x);
  T* const stage = reinterpret_cast<T*>(row_memory);
  const Run<T> run(n.row_of_x(row), columns);
  run.ask(stage, n.row_of_x(row));
  run.wait();
  const T* const x = stage + run.begin;

  float mean = 0, squares = 0;
  if (!n.rms) {
#pragma unroll 4
    for (int i = thread; i < columns; i += kRowThreads) mean += wb::to_float(x[i]);
    mean = over_block(mean, of_warp[0]) * n.share;
  }
#pragma unroll 4
  for (int i = thread; i < columns; i += kRowThreads) {
    const float off = wb::to_float(x[i]) - mean;
    squares += off * off;
  }
  const float rstd = rsqrtf(over_block(squares, of_warp[1]) * n.share + NormRows::kEpsilon);

  using One = Pack<T, 1>;
  T* const y = n.y + row * n.columns;
  for (int first = thread; first < columns; first += kRowAtOnce * kRowThreads) {
    const auto has = [&](int i) { return first + i * kRowThreads < columns; };
    One weight[kRowAtOnce], bias[kRowAtOnce] = {};
#pragma unroll
    for (int i = 0; i < kRowAtOnce; ++i)
      if (has(i)) {
        weight[i] = One::load(n.weight + first + i * kRowThreads);
        if (n.bias) bias[i] = One::load(n.bias + first + i * kRowThreads);
      }
#pragma unroll
    for (int i = 0; i < kRowAtOnce; ++i)
      if (has(i)) {
        const int at = first + i * kRowThreads;
        float by, plus;
        weight[i].to_floats(&by), bias[i].to_floats(&plus);
        const float value = n.y_of(wb::to_float(x[at]), mean, rstd, by, plus);
        One::of(&value).store_once(y + at);
      }
  }
}

}  // namespace
