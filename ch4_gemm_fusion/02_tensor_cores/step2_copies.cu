// Against step1_tile: copies in the background. cp.async brings 16 bytes into shared memory without
// a register. There are three stages: two are on their way while one is multiplied, and a tile
// costs one barrier. What multiplies is still wmma.
//
// Predict: a step took a load and a product, one after the other. How long does it take now?
#include <cuda_pipeline.h>
#include <mma.h>

#include "../shared/product16.cuh"
#include "tensor_cores.h"

namespace {

constexpr int kTile = 128, kDepth = 32, kStages = 3, kThreads = 128;
constexpr int kRow = kDepth + 8;  // 80 bytes: eight rows of a piece are in different banks

// A stage: rows 0 to 127 are A's, the others B's.
constexpr int kStage = 2 * kTile * kRow, kBytes = kStages * kStage * 2;

// Asks for rows `first` and following of a matrix of `rows` x k, columns from `column`; 0 outside.
template <class T>
__device__ void fetch(T* tile, const T* x, wb::i64 rows, wb::i64 k, wb::i64 first, wb::i64 column) {
  for (int i = 8 * threadIdx.x; i < kTile * kDepth; i += 8 * kThreads) {
    const int r = i / kDepth, l = i % kDepth;
    const T* from = x + (first + r) * k + column + l;
    const bool inside = first + r < rows && column + l < k;
    if (k % 8 == 0)
      __pipeline_memcpy_async(&tile[r * kRow + l], inside ? from : x, 16, inside ? 0 : 16);
    else
      for (int j = 0; j < 8; ++j)
        tile[r * kRow + l + j] =
            first + r < rows && column + l + j < k ? from[j] : wb::from_float<T>(0);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c) {
  if constexpr (kMultiplies<T>) {
    using namespace nvcuda::wmma;
    extern __shared__ uint4 memory[];
    T* const stages = reinterpret_cast<T*>(memory);
    __shared__ __align__(32) float out[kThreads / 32][16][20];
    const wb::i64 row = wb::i64{blockIdx.y} * kTile, column = wb::i64{blockIdx.x} * kTile;
    const int warp = threadIdx.x / 32, down = warp / 2 * 64, across = warp % 2 * 64;
    const int lane = threadIdx.x % 32;

    fragment<accumulator, 16, 16, 16, float> sum[4][4];
    for (auto& line : sum)
      for (auto& piece : line) fill_fragment(piece, 0);
    const int tiles = static_cast<int>((k + kDepth - 1) / kDepth);
    const auto fetch_both = [&](int tile) {
      T* const stage = stages + tile % kStages * kStage;
      if (tile < tiles) {
        fetch(stage, a, m, k, row, wb::i64{tile} * kDepth);
        fetch(stage + kTile * kRow, b, n, k, column, wb::i64{tile} * kDepth);
      }
      __pipeline_commit();  // an empty group after the last tile keeps the count right
    };
    for (int tile = 0; tile < kStages - 1; ++tile) fetch_both(tile);
    for (int tile = 0; tile < tiles; ++tile) {
      __pipeline_wait_prior(kStages - 2);  // this thread's part of the tile is there,
      __syncthreads();                     // all threads' parts are, the stage before is free
      fetch_both(tile + kStages - 1);
      const T *const left = stages + tile % kStages * kStage, *const right = left + kTile * kRow;
      for (int step = 0; step < kDepth; step += 16) {
        fragment<matrix_a, 16, 16, 16, T, row_major> fa[4];
        fragment<matrix_b, 16, 16, 16, T, col_major> fb[4];  // rows of B are columns of B^T
        for (int i = 0; i < 4; ++i) {
          load_matrix_sync(fa[i], left + (down + 16 * i) * kRow + step, kRow);
          load_matrix_sync(fb[i], right + (across + 16 * i) * kRow + step, kRow);
        }
        for (int i = 0; i < 4; ++i)
          for (int j = 0; j < 4; ++j) mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
      }
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
      const auto kernel = multiply<std::remove_pointer_t<decltype(c)>>;
      wb::allow_shared(kernel, kBytes);
      kernel<<<grid, kThreads, kBytes, stream>>>(p.m, p.n, p.k, a, b, c);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(TensorCores, step2_copies, make);
WB_NEEDS("8.0 for bf16");
