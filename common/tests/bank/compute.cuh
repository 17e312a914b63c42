// What the CUDA half of the bank is made of: the right kernel on a range, and answers that are
// kept.
#pragma once

#include <memory>

#include "bank/wrong.h"

namespace {

using Args = Wrong::Args;
using wb::i64;

__global__ void compute_kernel(Args p, i64 end) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < end) Wrong::element(p, i);
}
inline void compute(const Args& p, cudaStream_t stream, i64 end) {
  if (end > 0) compute_kernel<<<bank::blocks(end), bank::kBlock, 0, stream>>>(p, end);
}
inline void compute(const Args& p, cudaStream_t stream) { compute(p, stream, p.n); }

inline void copy(float* to, const float* from, i64 n, cudaStream_t stream) {
  WB_CHECK(cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyDefault, stream));
}

// Keeps a stream busy for about that long.
__global__ void delay_kernel(int milliseconds) {
  for (int i = 0; i < 1000 * milliseconds; ++i) __nanosleep(1000);
}
inline void delay(int milliseconds, cudaStream_t stream) {
  delay_kernel<<<1, 1, 0, stream>>>(milliseconds);
}

// `side` goes on when `stream` is where it is now.
inline void wait_for(cudaStream_t side, cudaStream_t stream, const wb::Event& event) {
  WB_CHECK(cudaEventRecord(event.get(), stream));
  WB_CHECK(cudaStreamWaitEvent(side, event.get()));
}

}  // namespace
