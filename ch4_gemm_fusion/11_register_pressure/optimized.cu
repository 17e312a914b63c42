// Changes against step 2: 16 x 8 sums, and a thread brings the next slices while it multiplies
// these. One block of eight warps is all that fits: an eighth of the warps that a multiprocessor
// could hold. Other warps are one way to have work while a load is on its way. Work of the same
// thread that does not wait for the load is the other: it takes registers, not threads. (V. Volkov,
// "Better performance at lower occupancy", 2010.)
//
// Predict: how many registers do 128 sums, their operands and the next slices take? Has step 2 with
// 16 rows anything to do while it waits for its slices?
#include "tile.cuh"

namespace {

constexpr int kRows = 16, kColumns = 8;

__global__ void __launch_bounds__(kThreads) multiply_ahead(RegisterPressure::Args p) {
  __shared__ Slices<kRows, kColumns> slices;
  float a[kRows], b[kColumns], sum[kRows][kColumns] = {};
  fetch(p, 0, a, b);
  for (wb::i64 start = 0; start < p.k; start += kDepth) {
    put(a, b, slices);
    __syncthreads();
    fetch(p, start + kDepth, a, b);  // arrives while these are multiplied; zeros past the end
    multiply_slices(slices, sum);
    __syncthreads();
  }
  store(sum, p);
}

void run(const RegisterPressure::Args& p, cudaStream_t stream) {
  launch<kRows, kColumns>(multiply_ahead, p, stream);
}

}  // namespace

WB_CUDA(RegisterPressure, optimized, run);
WB_CASE_NOTE(RegisterPressure,
             [](const RegisterPressure::Args&) { return compiled(multiply_ahead); });
