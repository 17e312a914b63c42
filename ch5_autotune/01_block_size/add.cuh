// y = a + b: a thread has LOADS packs of each array in flight.
#include "pack.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    candidate(i64, i64 n, const float* a, const float* b, float* y) {
  constexpr int kStep = BLOCK * WIDTH, kPerBlock = kStep * LOADS;
  const i64 begin = blockIdx.x * i64{kPerBlock}, first = begin + threadIdx.x * WIDTH;
  if (begin + kPerBlock > n) {  // the last block, element by element
    for (i64 i = begin + threadIdx.x; i < n; i += BLOCK) y[i] = a[i] + b[i];
    return;
  }
  Pack<WIDTH> left[LOADS], right[LOADS];
#pragma unroll
  for (int l = 0; l < LOADS; ++l) {
    left[l] = load<WIDTH>(a + first + l * kStep);
    right[l] = load<WIDTH>(b + first + l * kStep);
  }
#pragma unroll
  for (int l = 0; l < LOADS; ++l) store(y + first + l * kStep, left[l] + right[l]);
}
