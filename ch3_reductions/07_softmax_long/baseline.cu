// A block per row, as in the first steps of 06_softmax: a pass for maximum and sum together (online
// softmax), and a second one for the quotients. So each row is read twice and written once.
//
// Predict: 128 rows of 512 Ki in fp32 are 268 MB. What is the least time for two reads and a write?
// And how many bytes are on their way, when a multiprocessor has one block of 256 threads, each of
// which loads one float at a time?
#include "../softmax/online.cuh"
#include "softmax_long.h"

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

void run(const SoftmaxLong::Args& p, cudaStream_t stream) {
  with_rows(
      p, [&](auto rows) { softmax<<<static_cast<unsigned>(p.rows), kThreads, 0, stream>>>(rows); });
}

}  // namespace

WB_CUDA(SoftmaxLong, baseline, run);
WB_EXERCISE(LogSum);
