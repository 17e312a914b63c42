// Changes against baseline: a thread takes four elements, a block's width apart. Four loads are in
// flight instead of one, and four chains of multiply-adds share the fetching of a coefficient.
//
// Predict: at which of the three degrees does that help, and which of the two reasons is it?
#include "arithmetic_intensity.h"
#include "polynomial.cuh"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kValues = 4;  // per thread
constexpr int kTile = kThreads * kValues;

__global__ void pass(wb::i64 n, int degree, const float* in, float* out) {
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * kTile + threadIdx.x;
  float value[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    value[i] = first + i * kThreads < n ? in[first + i * kThreads] : 0;
  apply(value, degree);
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    if (first + i * kThreads < n) out[first + i * kThreads] = value[i];
}

void run(const ArithmeticIntensity::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const float* in = p.x;
  for (int i = 0; i < kPasses; ++i) {
    pass<<<(p.n + kTile - 1) / kTile, kThreads, 0, stream>>>(p.n, p.degree, in, p.y);
    WB_CHECK(cudaGetLastError());
    in = p.y;
  }
}

}  // namespace

WB_CUDA(ArithmeticIntensity, step1_unrolled, run);
