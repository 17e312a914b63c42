// Changes against baseline: one pass less. Each thread keeps the largest x that it has seen and the
// sum of exp(x - that). When a larger one comes, it multiplies its sum by exp(old - new) and goes
// on (online softmax: Milakov and Gimelshein 2018). Shuffles and one barrier combine the threads'
// pairs in the same way (online.cuh), where the baseline has two trees.
//
// Predict: one read of three is gone. What is the factor where a block's row stays in L1, and what
// is it for rows of 512 Ki?
#include "../softmax/online.cuh"
#include "softmax.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void softmax(Rows<T> r) {
  __shared__ Part of_warp[kWarp];
  const T* x = r.x + blockIdx.x * r.stride;
  T* y = r.out + blockIdx.x * r.stride;
  float max = -INFINITY, sum = 0;
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads) {
    const float value = wb::to_float(x[i]), larger = fmaxf(max, value);
    sum = sum * scale(max, larger) + scale(value, larger);
    max = larger;
  }
  const Part all = over_block({max, sum}, of_warp, kNothing);
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    y[i] = wb::from_float<T>(exponential(wb::to_float(x[i]) - all.max) / all.sum);
}

auto make(const Softmax::Args& p) {
  forward_only(p);
  return [=](cudaStream_t stream) {
    with_rows(p, [&](auto rows) {
      softmax<<<static_cast<unsigned>(p.rows), kThreads, 0, stream>>>(rows);
    });
  };
}

}  // namespace

WB_CUDA(Softmax, step1_online, make);
