// Changes against step 1: 16 bytes per load, of elements as of coefficients, and eight float4
// per thread. A quarter of the load and store instructions, eight times the bytes in flight, and 32
// chains.
//
// Predict: does a pass of degree 4 get faster by that? And how close to the peak is degree 512?
#include "arithmetic_intensity.h"
#include "polynomial.cuh"
#include "tile.cuh"
#include "wb/cuda.h"

namespace {

__global__ void __launch_bounds__(kThreads)
    pass(wb::i64 n, int degree, const float* in, float* out) {
  float value[kValues];
  load(in, n, value);
  apply_in_eights(value, degree);
  store(out, n, value);
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

WB_CUDA(ArithmeticIntensity, step2_vectorized, run);
