// Changes against step 2: one pass. The values stay in registers between one P and the next, so a
// quarter of the bytes moves for the same arithmetic: four times the arithmetic intensity.
//
// Predict: what does that gain at degree 4, and what at degree 512, where step 2 was already bound
// by arithmetic?
#include "arithmetic_intensity.h"
#include "polynomial.cuh"
#include "tile.cuh"
#include "wb/cuda.h"

namespace {

__global__ void __launch_bounds__(kThreads)
    all_passes(wb::i64 n, int degree, const float* in, float* out) {
  float value[kValues];
  load(in, n, value);
  for (int i = 0; i < kPasses; ++i) apply_in_eights(value, degree);
  store(out, n, value);
}

void run(const ArithmeticIntensity::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  all_passes<<<(p.n + kTile - 1) / kTile, kThreads, 0, stream>>>(p.n, p.degree, p.x, p.y);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(ArithmeticIntensity, optimized, run);
