// All four passes in one, on few threads: one block of 128 threads per multiprocessor, which is one
// warp for each of its four schedulers. A multiply-add takes some cycles; with a single warp and a
// single chain, the scheduler waits for each of them.
//
// TODO: fill the schedulers with the launch as it is. Other warps hide latency, but so do other
//       chains of the same warp.
// Goal: 5 times baseline at elements=67108864,degree=512
// Goal: at most 2.5 times as long as optimized at elements=67108864,degree=4
// Hints are in README.md.
#include "arithmetic_intensity.h"
#include "polynomial.cuh"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 128;

__global__ void all_passes(wb::i64 n, int degree, const float* in, float* out) {
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  const wb::i64 step = static_cast<wb::i64>(gridDim.x) * kThreads;
  for (wb::i64 i = first; i < n; i += step) {
    float value[1] = {in[i]};
    for (int pass = 0; pass < kPasses; ++pass) apply(value, degree);
    out[i] = value[0];
  }
}

auto make(const ArithmeticIntensity::Args& p) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return [p, multiprocessors](cudaStream_t stream) {
    all_passes<<<multiprocessors, kThreads, 0, stream>>>(p.n, p.degree, p.x, p.y);
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(ArithmeticIntensity, exercise, make);
