// The exercise, solved: a warp's fragments go through shared memory, 64 x 64 sums, over the tiles
// of x and W, which are not needed any more. From there the block adds the bias, clips, rounds and
// stores two columns per thread, rows in order.
//
// It is 0.78 times as fast as step1_library (H200, 2026-11-25).
#include <mma.h>

#include "../shared/tensor_types.cuh"
#include "types.cuh"

namespace {

constexpr int kTile = 64, kDepth = 32, kThreads = 128;
constexpr int kStride = kDepth + 8;  // rows of a tile in shared memory begin in different banks

// 8 numbers of a row from `column` on; zeros beyond its end.
template <class T> __device__ void load(T* to, const T* row, int column, int columns, bool inside) {
  if (inside && columns % 8 == 0 && column + 8 <= columns) {
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(row + column);
    return;
  }
  for (int i = 0; i < 8; ++i)
    to[i] = inside && column + i < columns ? row[column + i] : wb::from_float<T>(0);
}

template <class T>
__global__ void multiply(int m, int n, int k, const T* x, const T* w, const T* bias, T* y) {
  if constexpr (kMultiplies<T>) {
    __shared__ union __align__(32) {
      struct {
        T x[kTile * kStride], w[kTile * kStride];
      } tile;
      float sums[kTile][kTile + 4];
    }
    s;
    using namespace nvcuda;
    const int row = blockIdx.y * kTile, column = blockIdx.x * kTile, warp = threadIdx.x / 32;
    const int down = warp / 2 * 32, right = warp % 2 * 32;  // of this warp, in the tile
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (auto& part : sum)
      for (auto& fragment : part) wmma::fill_fragment(fragment, 0);
    for (int start = 0; start < k; start += kDepth) {
      for (int i = threadIdx.x; i < kTile * kDepth / 8; i += kThreads) {
        const int r = i / (kDepth / 8), l = i % (kDepth / 8) * 8;
        load(&s.tile.x[r * kStride + l], x + wb::i64{row + r} * k, start + l, k, row + r < m);
        load(&s.tile.w[r * kStride + l], w + wb::i64{column + r} * k, start + l, k, column + r < n);
      }
      __syncthreads();
      for (int l = 0; l < kDepth; l += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b[2];
        for (int i = 0; i < 2; ++i) {
          wmma::load_matrix_sync(a[i], &s.tile.x[(down + 16 * i) * kStride + l], kStride);
          wmma::load_matrix_sync(b[i], &s.tile.w[(right + 16 * i) * kStride + l], kStride);
        }
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
      }
      __syncthreads();
    }
    for (int i = 0; i < 2; ++i)  // all warps are done with the tiles
      for (int j = 0; j < 2; ++j)
        wmma::store_matrix_sync(&s.sums[down + 16 * i][right + 16 * j], sum[i][j], kTile + 4,
                                wmma::mem_row_major);
    __syncthreads();
    const int c = column + threadIdx.x % 32 * 2;
    for (int r = threadIdx.x / 32; r < kTile && row + r < m; r += kThreads / 32)
      for (int i = 0; i < 2 && c + i < n; ++i)
        y[wb::i64{row + r} * n + c + i] =
            wb::from_float<T>(__saturatef(s.sums[r][c - column + i] + wb::to_float(bias[c + i])));
  }
}

using Function = std::function<void(cudaStream_t)>;

template <class T>
Function make_layer(const LinearClipped::Args& p, const T* x, const T* w, const T* bias, T* y) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return [](cudaStream_t) {};
  return [=](cudaStream_t stream) {
    multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, x, w, bias, y);
    WB_CHECK(cudaGetLastError());
  };
}

auto make(const LinearClipped::Args& p) {
  require_type(p.dtype);
  return with_types(p, [&]<class T>(const T* x, const T* w, const T* bias, T* y) -> Function {
    if constexpr (sizeof(T) == 2)
      return make_layer(p, x, w, bias, y);
    else
      return {};
  });
}

}  // namespace

WB_CUDA(LinearClipped, solution, make);
WB_NEEDS("8.0 for bf16");
