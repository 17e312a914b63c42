// The filter as one writes it first: a kernel that applies P, one element per thread, called four
// times. Every pass reads all elements from memory and writes all of them back.
//
// Predict: a pass does 2 FLOPs per degree for 8 bytes. From which degree on is it bound by
// arithmetic on your GPU? (`./workbook peaks` shows what it can do.)
#include "arithmetic_intensity.h"
#include "polynomial.cuh"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;

__global__ void pass(wb::i64 n, int degree, const float* in, float* out) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  float value[1] = {in[i]};
  apply(value, degree);
  out[i] = value[0];
}

void run(const ArithmeticIntensity::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const float* in = p.x;
  for (int i = 0; i < kPasses; ++i) {
    pass<<<(p.n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(p.n, p.degree, in, p.y);
    WB_CHECK(cudaGetLastError());
    in = p.y;  // from here on in place
  }
}

}  // namespace

WB_CUDA(ArithmeticIntensity, baseline, run);
