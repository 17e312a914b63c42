// Of the exercise: two rows fill the 32 banks, so the place of a piece has to change with every
// second row. Rows 0 and 1, 2 and 3, 4 and 5, 6 and 7 then have four different places for it.
//
// Without the factors step3_mma takes 460 us at 4096 x 4096 x 4096, this 524 us
// (common/results/h200.json).
#include <cuda_pipeline.h>

#include "../shared/product16.cuh"
#include "tensor_cores.h"

namespace {

constexpr int kTile = 128, kDepth = 32, kStages = 4, kThreads = 128;
constexpr int kBytes = kStages * 2 * kTile * kDepth * 2;

template <class T> __device__ T* piece(T* tile, int row, int p) {
  return tile + row * kDepth + (p ^ row / 2 % 4) * 8;
}

// Asks for a tile: rows from `first`, columns from `column`; 0 outside of the matrix.
template <class T>
__device__ void fetch(T* tile, const T* x, wb::i64 rows, wb::i64 k, wb::i64 first, wb::i64 column) {
  constexpr int kPieces = kDepth / 8, kStep = kThreads / kPieces;  // 16-byte pieces of a row
  const int r = threadIdx.x / kPieces, p = threadIdx.x % kPieces;
  const wb::i64 l = column + 8 * p;
  const T* const from = x + (first + r) * k + l;
  if (k % 8 == 0) {
#pragma unroll
    for (int i = 0; i < kTile; i += kStep) {
      const bool inside = first + r + i < rows && l < k;
      __pipeline_memcpy_async(piece(tile, r + i, p), inside ? from + i * k : x, 16,
                              inside ? 0 : 16);  // how many of the 16 bytes are zeros
    }
  } else {  // the rows of the matrix don't begin at multiples of 16 bytes
    for (int i = 0; i < kTile; i += kStep)
      for (int j = 0; j < 8; ++j)
        piece(tile, r + i, p)[j] =
            first + r + i < rows && l + j < k ? from[i * k + j] : wb::from_float<T>(0);
  }
}

template <class T> __device__ void load_matrices(unsigned (&x)[4], const T* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

// sum += A B^T with A 16 x 16 and B 8 x 16.
#define MMA(SHAPE_AND_TYPES, A, B, ...)                                                  \
  asm volatile("mma.sync.aligned." SHAPE_AND_TYPES ".f32 {%0, %1, %2, %3}, {" A "}, {" B \
               "}, {%0, %1, %2, %3};"                                                    \
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                  \
               : __VA_ARGS__)
#define MMA16(TYPE)                                                                            \
  MMA("m16n8k16.row.col.f32." TYPE "." TYPE, "%4, %5, %6, %7", "%8, %9", "r"(a[0]), "r"(a[1]), \
      "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
template <class T> __device__ void mma(float (&sum)[4], const unsigned (&a)[4], const unsigned* b) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, __half>)
    MMA16("f16");
  else
    MMA16("bf16");
#else
  for (int i = 0; i < 2; ++i)  // 8 of the 16 columns; of bf16 there is nothing, nor a launch
    if constexpr (kMultiplies<T>)
      MMA("m16n8k8.row.col.f32.f16.f16", "%4, %5", "%6", "r"(a[2 * i]), "r"(a[2 * i + 1]),
          "r"(b[i]));
#endif
}

template <class T>
__global__ void __launch_bounds__(kThreads, 2)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, const float* scale, T* c) {
  extern __shared__ uint4 memory[];
  T* const left = reinterpret_cast<T*>(memory);  // kStages tiles of A, then as many of B
  T* const right = left + kStages * kTile * kDepth;
  const wb::i64 row = wb::i64{blockIdx.y} * kTile, column = wb::i64{blockIdx.x} * kTile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int down = warp / 2 * 64, across = warp % 2 * 64;
  const int tiles = static_cast<int>((k + kDepth - 1) / kDepth);

  const auto fetch_both = [&](int tile) {
    const int at = tile % kStages * kTile * kDepth;
    if (tile < tiles) {
      fetch(left + at, a, m, k, row, wb::i64{tile} * kDepth);
      fetch(right + at, b, n, k, column, wb::i64{tile} * kDepth);
    }
    __pipeline_commit();  // an empty group after the last tile keeps the count right
  };

  float sum[4][8][4] = {};  // 4 x 8 pieces of 16 x 8
  for (int tile = 0; tile < kStages - 1; ++tile) fetch_both(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(kStages - 2);  // this thread's part of the tile is there,
    __syncthreads();                     // all threads' parts are, the stage before is free
    fetch_both(tile + kStages - 1);
    const T* const x = left + tile % kStages * kTile * kDepth;
    const T* const y = right + tile % kStages * kTile * kDepth;
#pragma unroll
    for (int p = 0; p < kDepth / 8; p += 2) {
      unsigned fa[4][4], fb[4][4];
      for (int i = 0; i < 4; ++i)
        load_matrices(fa[i], piece(x, down + 16 * i + lane % 16, p + lane / 16));
      for (int j = 0; j < 4; ++j)
        load_matrices(fb[j],
                      piece(y, across + 16 * j + lane / 16 * 8 + lane % 8, p + lane / 8 % 2));
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 8; ++j) mma<T>(sum[i][j], fa[i], &fb[j / 2][j % 2 * 2]);
    }
  }

  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      for (int e = 0; e < 4; ++e) {
        const wb::i64 r = row + down + 16 * i + lane / 4 + e / 2 * 8;
        const wb::i64 s = column + across + 8 * j + lane % 4 * 2 + e % 2;
        if (r < m && s < n) c[r * n + s] = wb::from_float<T>(scale[r] * sum[i][j][e]);
      }
}

auto make(const RowScaled::Args& p) {
  require_type(p.dtype);
  const wb::i64 down = (p.m + kTile - 1) / kTile, across = (p.n + kTile - 1) / kTile;
  if (down > 65535) throw wb::Unsupported("too tall: the grid's y stops at 65,535 blocks");
  return [p, grid = dim3(across, down)](cudaStream_t stream) {
    if (p.m * p.n == 0) return;
    with_types(p, [&](auto a, auto b, auto c) {
      const auto kernel = multiply<std::remove_pointer_t<decltype(c)>>;
      wb::allow_shared(kernel, kBytes);
      kernel<<<grid, kThreads, kBytes, stream>>>(p.m, p.n, p.k, a, b, p.scale, c);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(RowScaled, solution, make);
WB_NEEDS("8.0 for bf16");
