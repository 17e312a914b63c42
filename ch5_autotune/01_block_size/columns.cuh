// Column sums: a thread goes down WIDTH neighbouring columns, LOADS rows at a time. LINES threads
// of a block, and all blocks with the same blockIdx.x, share these columns and take other rows of
// them.
#include "pack.cuh"

// kWidth: of the loads; 1 where rows do not begin at multiples of WIDTH.
template <int kWidth> __device__ void sum_columns(i64 rows, i64 columns, const float* a, float* y) {
  constexpr int kAcross = BLOCK / LINES;
  const int across = threadIdx.x % kAcross, line = threadIdx.x / kAcross;
  const i64 begin = rows * blockIdx.y / gridDim.y, end = rows * (blockIdx.y + 1) / gridDim.y;
  for (int turn = 0; turn < WIDTH / kWidth; ++turn) {
    const i64 column = blockIdx.x * i64{kAcross * WIDTH} + (turn * kAcross + across) * kWidth;
    Pack<kWidth> sum = {};
    if (column < columns)
      for (i64 row = begin + line; row < end; row += LINES * LOADS) {
        Pack<kWidth> pack[LOADS];
#pragma unroll
        for (int l = 0; l < LOADS; ++l)
          pack[l] = load<kWidth>(a + (row + l * LINES) * columns + column, row + l * LINES < end);
#pragma unroll
        for (int l = 0; l < LOADS; ++l) sum = sum + pack[l];
      }
#if LINES > 1
    __shared__ Pack<kWidth> left[BLOCK];
    __syncthreads();
    left[threadIdx.x] = sum;
    __syncthreads();
    for (int other = 1; line == 0 && other < LINES; ++other)
      sum = sum + left[other * kAcross + across];
#endif
    if (line == 0 && column < columns) store(y + blockIdx.y * columns + column, sum);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    candidate(i64 rows, i64 columns, const float* a, const float*, float* y) {
  a = read_once(a);
  columns % WIDTH ? sum_columns<1>(rows, columns, a, y) : sum_columns<WIDTH>(rows, columns, a, y);
}
