// Adds up rows of sums, in the same order on every run.
#pragma once

#include "types.cuh"

// db = the sum of `rows` rows of sums.
template <class T> __global__ void add_up(int rows, int n, const float* sums, T* db) {
  __shared__ float part[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (column < n)
    for (int row = threadIdx.y; row < rows; row += 32) sum += sums[wb::i64{row} * n + column];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || column >= n) return;
  for (int i = 1; i < 32; ++i) sum += part[i][threadIdx.x];
  db[column] = wb::from_float<T>(sum);
}
template <class T> void finish(int rows, wb::i64 n, const float* sums, T* db, cudaStream_t stream) {
  if (n > 0) add_up<<<(n + 31) / 32, dim3(32, 32), 0, stream>>>(rows, n, sums, db);
  WB_CHECK(cudaGetLastError());
}
