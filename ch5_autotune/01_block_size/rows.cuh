// Row sums: a team of TEAM lanes has ROWS rows, and LOADS packs of each in flight. With STAGE the
// block first copies all of its rows, one piece of memory, into shared memory: a row of 7 or 49
// floats need not begin at a multiple of 16 bytes, as wide loads must, but a block's rows do.
#include <cuda_pipeline_primitives.h>

#include "pack.cuh"

constexpr int kTeams = BLOCK / TEAM, kRows = kTeams * ROWS;  // of a block

__device__ float over_team(float value) {
  for (int distance = (TEAM < 32 ? TEAM : 32) / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFF, value, distance);
#if TEAM > 32
  __shared__ float of_warp[BLOCK / 32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  value = 0;
  for (const float v : of_warp) value += v;
#endif
  return value;
}

// x and y begin with the block's first row; kWidth is that of the loads.
template <int kWidth> __device__ void sum_rows(int rows, int columns, const float* x, float* y) {
  const int lane = threadIdx.x % TEAM, team = threadIdx.x / TEAM;
  float sum[ROWS] = {};
#if STAGE
#pragma unroll 8
#endif
  for (int at = lane * kWidth; at < columns; at += TEAM * kWidth * LOADS) {
    Pack<kWidth> pack[ROWS * LOADS];
#pragma unroll
    for (int i = 0; i < ROWS * LOADS; ++i) {
      const int row = min(team + i / LOADS * kTeams, rows - 1), l = i % LOADS;
      const int column = at + l * TEAM * kWidth;
      pack[i] = load<kWidth>(x + i64{row} * columns + column, l == 0 || column < columns);
    }
#pragma unroll
    for (int i = 0; i < ROWS * LOADS * kWidth; ++i)
      sum[i / kWidth / LOADS] += pack[i / kWidth].at[i % kWidth];
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const float all = over_team(sum[r]);
    if (lane == 0 && team + r * kTeams < rows) y[team + r * kTeams] = all;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    candidate(i64 all_rows, i64 all_columns, const float* a, const float*, float* y) {
  const i64 first = blockIdx.x * i64{kRows};
  const int rows = min(i64{kRows}, all_rows - first), columns = all_columns;
  a += first * columns, y += first;
#if STAGE
  extern __shared__ __align__(16) float staged[];
  const int count = rows * columns, whole = count / 4 * 4;
  for (int i = whole + threadIdx.x; i < count; i += BLOCK) staged[i] = a[i];
  for (int i = 4 * threadIdx.x; i < whole; i += 4 * BLOCK)
    __pipeline_memcpy_async(staged + i, a + i, 16);  // past the registers
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  a = staged;
#else
  a = read_once(a);
#endif
  columns % WIDTH ? sum_rows<1>(rows, columns, a, y) : sum_rows<WIDTH>(rows, columns, a, y);
}
