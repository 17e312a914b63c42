// Against baseline: a tile of 128 x 128, of which a warp makes 64 x 64. Each number that comes from
// L2 serves 64 multiply-adds instead of 32, and each that a warp reads from shared memory 32
// instead of 16. Loads still go through registers, and the block still waits for each tile.
//
// Predict: the traffic from L2 halves. Which part of a step does that shorten?
#include <mma.h>

#include "../shared/product16.cuh"
#include "tensor_cores.h"

namespace {

constexpr int kTile = 128, kDepth = 32, kThreads = 128;
constexpr int kRow = kDepth + 8;  // 80 bytes: eight rows of a piece are in different banks

// Rows `first` and following of a matrix of `rows` x k, columns from `column`; 0 outside. Eight
// numbers at a time, where the rows of the matrix begin at multiples of 16 bytes.
template <class T>
__device__ void fetch(T (*tile)[kRow], const T* x, wb::i64 rows, wb::i64 k, wb::i64 first,
                      wb::i64 column) {
  for (int i = 8 * threadIdx.x; i < kTile * kDepth; i += 8 * kThreads) {
    const int r = i / kDepth, l = i % kDepth;
    const T* from = x + (first + r) * k + column + l;
    if (k % 8 == 0 && first + r < rows && column + l < k)
      *reinterpret_cast<uint4*>(&tile[r][l]) = *reinterpret_cast<const uint4*>(from);
    else
      for (int j = 0; j < 8; ++j)
        tile[r][l + j] = first + r < rows && column + l + j < k ? from[j] : wb::from_float<T>(0);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c) {
  if constexpr (kMultiplies<T>) {
    using namespace nvcuda::wmma;
    __shared__ __align__(16) T left[kTile][kRow], right[kTile][kRow];
    __shared__ __align__(32) float out[kThreads / 32][16][20];
    const wb::i64 row = wb::i64{blockIdx.y} * kTile, column = wb::i64{blockIdx.x} * kTile;
    const int warp = threadIdx.x / 32, down = warp / 2 * 64, across = warp % 2 * 64;
    const int lane = threadIdx.x % 32;

    fragment<accumulator, 16, 16, 16, float> sum[4][4];
    for (auto& line : sum)
      for (auto& piece : line) fill_fragment(piece, 0);
    for (wb::i64 l = 0; l < k; l += kDepth) {
      fetch(left, a, m, k, row, l);
      fetch(right, b, n, k, column, l);
      __syncthreads();
      for (int step = 0; step < kDepth; step += 16) {
        fragment<matrix_a, 16, 16, 16, T, row_major> fa[4];
        fragment<matrix_b, 16, 16, 16, T, col_major> fb[4];  // rows of B are columns of B^T
        for (int i = 0; i < 4; ++i) {
          load_matrix_sync(fa[i], &left[down + 16 * i][step], kRow);
          load_matrix_sync(fb[i], &right[across + 16 * i][step], kRow);
        }
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
      }
      __syncthreads();
    }

    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        store_matrix_sync(out[warp][0], sum[i][j], 20, mem_row_major);
        __syncwarp();
        for (int e = lane; e < 16 * 16; e += 32) {
          const wb::i64 r = row + down + 16 * i + e / 16, s = column + across + 16 * j + e % 16;
          if (r < m && s < n) c[r * n + s] = wb::from_float<T>(out[warp][e / 16][e % 16]);
        }
        __syncwarp();
      }
  }
}

auto make(const TensorCores::Args& p) {
  require_type(p.dtype);
  const wb::i64 down = (p.m + kTile - 1) / kTile, across = (p.n + kTile - 1) / kTile;
  if (down > 65535) throw wb::Unsupported("too tall: the grid's y stops at 65,535 blocks");
  return [p, grid = dim3(across, down)](cudaStream_t stream) {
    if (p.m * p.n == 0) return;
    with_types(p, [&](auto a, auto b, auto c) {
      multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, a, b, c);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(TensorCores, step1_tile, make);
WB_NEEDS("8.0 for bf16");
