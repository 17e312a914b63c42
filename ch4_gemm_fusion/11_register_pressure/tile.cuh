// The GPU's product, for any tile of kRows x kColumns sums per thread. A block has 16 x 16 threads.
// It copies slices of A and B, 16 deep, to shared memory, a value per thread for each row and
// column of the thread's tile, and multiplies them from there. Only the tile differs here.
#pragma once

#include "register_pressure.h"
#include "wb/cuda.h"

namespace {

constexpr int kSide = 16, kThreads = kSide * kSide, kDepth = kSide;

template <int kRows, int kColumns> struct Slices {
  float a[kSide * kRows][kDepth + 1];  // one more, so that two rows are in different banks
  float b[kDepth][kSide * kColumns];
};

// A thread has every 16th row and column of the block's tile: its own i-th and j-th. So lanes of a
// warp are neighbours in every load and store.
template <int kRows> __device__ wb::i64 row(int i) {
  return (wb::i64{blockIdx.y} * kRows + i) * kSide + threadIdx.y;
}
template <int kColumns> __device__ wb::i64 column(int j) {
  return (wb::i64{blockIdx.x} * kColumns + j) * kSide + threadIdx.x;
}

// This thread's part of the slices that begin at `start`; zeros outside of the matrices.
template <int kRows, int kColumns>
__device__ void fetch(const RegisterPressure::Args& p, wb::i64 start, float (&a)[kRows],
                      float (&b)[kColumns]) {
  const wb::i64 a_depth = start + threadIdx.x, b_depth = start + threadIdx.y;
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    a[i] = row<kRows>(i) < p.m && a_depth < p.k ? p.a[row<kRows>(i) * p.k + a_depth] : 0;
#pragma unroll
  for (int j = 0; j < kColumns; ++j)
    b[j] =
        b_depth < p.k && column<kColumns>(j) < p.n ? p.b[b_depth * p.n + column<kColumns>(j)] : 0;
}
template <int kRows, int kColumns>
__device__ void put(const float (&a)[kRows], const float (&b)[kColumns],
                    Slices<kRows, kColumns>& to) {
#pragma unroll
  for (int i = 0; i < kRows; ++i) to.a[i * kSide + threadIdx.y][threadIdx.x] = a[i];
#pragma unroll
  for (int j = 0; j < kColumns; ++j) to.b[threadIdx.y][j * kSide + threadIdx.x] = b[j];
}

// kRows + kColumns values from shared memory for kRows x kColumns multiply-adds.
template <int kRows, int kColumns>
__device__ void multiply_slices(const Slices<kRows, kColumns>& from,
                                float (&sum)[kRows][kColumns]) {
#pragma unroll 4
  for (int l = 0; l < kDepth; ++l) {
    float right[kColumns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j) right[j] = from.b[l][j * kSide + threadIdx.x];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const float left = from.a[i * kSide + threadIdx.y][l];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) sum[i][j] += left * right[j];
    }
  }
}

template <int kRows, int kColumns>
__device__ void store(const float (&sum)[kRows][kColumns], const RegisterPressure::Args& p) {
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      if (row<kRows>(i) < p.m && column<kColumns>(j) < p.n)
        p.c[row<kRows>(i) * p.n + column<kColumns>(j)] = sum[i][j];
}

// kBlocks: so many must fit on a multiprocessor. With one the compiler may give a thread 255
// registers, with two 65,536 / (2 x 256) = 128. The rest it keeps in *local memory*: a
// thread's own piece of device memory, which goes through L1.
template <int kRows, int kColumns, int kBlocks = 1>
__global__ void __launch_bounds__(kThreads, kBlocks) multiply(RegisterPressure::Args p) {
  __shared__ Slices<kRows, kColumns> slices;
  float sum[kRows][kColumns] = {};
  for (wb::i64 start = 0; start < p.k; start += kDepth) {
    float a[kRows], b[kColumns];
    fetch(p, start, a, b);
    put(a, b, slices);
    __syncthreads();
    multiply_slices(slices, sum);
    __syncthreads();
  }
  store(sum, p);
}

using Kernel = void (*)(RegisterPressure::Args p);

template <int kRows, int kColumns>
void launch(Kernel kernel, const RegisterPressure::Args& p, cudaStream_t stream) {
  const auto tiles = [](wb::i64 size, int each) { return unsigned((size + each - 1) / each); };
  const dim3 grid = wb::grid(tiles(p.n, kSide * kColumns), tiles(p.m, kSide * kRows));
  if (grid.x * grid.y == 0) return;
  kernel<<<grid, dim3(kSide, kSide), 0, stream>>>(p);
  WB_CHECK(cudaGetLastError());
}

// Registers, local memory and occupancy of a compiled kernel.
inline std::string compiled(Kernel kernel) {
  cudaFuncAttributes is;
  int blocks = 0;
  WB_CHECK(cudaFuncGetAttributes(&is, kernel));
  WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0));
  return std::to_string(is.numRegs) + " registers, " + std::to_string(is.localSizeBytes) +
         " bytes of local memory per thread, " + std::to_string(blocks) +
         " blocks per multiprocessor";
}

// f(rows) with a constant: the case's, or the next lower number for which there is a kernel.
template <int kMost, int... kFewer, class F> auto with_one_of(int rows, F f) {
  if constexpr (sizeof...(kFewer) > 0)
    if (rows < kMost) return with_one_of<kFewer...>(rows, f);
  return f(std::integral_constant<int, kMost>());
}
template <class F> auto with_rows(int rows, F f) {
  return with_one_of<32, 23, 16, 11, 8, 6, 4, 3, 2>(rows, f);
}

}  // namespace
