// One fused kernel, as a good programmer writes it in an afternoon. A block makes a 64 x 64 tile of
// y by tensor cores (see 02_tensor_cores), adds the bias, takes the maximum with 0 and rounds. So y
// is written once and never read. A warp's fragments pass through shared memory, where rows are
// rows again. In fp32, and where tensor cores know no bf16, a block makes a 32 x 32 tile by
// ordinary multiply-adds.
//
// Predict: a library's product with a second kernel for bias and ReLU reads and writes all of y
// once more. Is it slower than this?
#include <mma.h>

#include "types.cuh"

namespace {

constexpr int kTile = 64, kDepth = 32, kThreads = 128;
[[maybe_unused]] constexpr int kStride = kDepth + 8;  // rows begin in different banks

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
__global__ void by_tensor_cores(int m, int n, int k, const T* x, const T* w, const T* bias, T* y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
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
  for (int i = 0; i < 2; ++i)  // no warp reads the tiles any more
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&s.sums[down + 16 * i][right + 16 * j], sum[i][j], kTile + 4,
                              wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
    const int r = i / kTile, c = i % kTile;
    if (row + r < m && column + c < n)
      y[wb::i64{row + r} * n + column + c] =
          wb::from_float<T>(fmaxf(s.sums[r][c] + wb::to_float(bias[column + c]), 0));
  }
#endif
}

constexpr int kSide = 32;

template <class T>
__global__ void by_multiply_adds(int m, int n, int k, const T* x, const T* w, const T* bias, T* y) {
  __shared__ float tile_x[kSide][kSide], tile_w[kSide][kSide + 1];  // w: columns are read
  const int i = threadIdx.x, j = threadIdx.y;
  const int row = blockIdx.y * kSide + j, first = blockIdx.x * kSide, column = first + i;
  float sum = 0;
  for (int start = 0; start < k; start += kSide) {
    const bool inside = start + i < k;
    tile_x[j][i] = inside && row < m ? wb::to_float(x[wb::i64{row} * k + start + i]) : 0;
    tile_w[j][i] =
        inside && first + j < n ? wb::to_float(w[wb::i64{first + j} * k + start + i]) : 0;
    __syncthreads();
    for (int l = 0; l < kSide; ++l) sum += tile_x[j][l] * tile_w[i][l];
    __syncthreads();
  }
  if (row < m && column < n)
    y[wb::i64{row} * n + column] = wb::from_float<T>(fmaxf(sum + wb::to_float(bias[column]), 0));
}

void run(const LinearRelu::Args& p, cudaStream_t stream) {
  if (p.m * p.n == 0) return;
  with_types(p, [&]<class T>(const T* x, const T* w, const T* bias, T* y) {
    if constexpr (sizeof(T) == 2) {
      cudaFuncAttributes code;  // what was compiled for this GPU
      WB_CHECK(cudaFuncGetAttributes(&code, by_tensor_cores<T>));
      if (code.ptxVersion >= 80)
        return by_tensor_cores<<<wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile),
                                 kThreads, 0, stream>>>(p.m, p.n, p.k, x, w, bias, y);
    }
    by_multiply_adds<<<wb::grid((p.n + kSide - 1) / kSide, (p.m + kSide - 1) / kSide),
                       dim3(kSide, kSide), 0, stream>>>(p.m, p.n, p.k, x, w, bias, y);
  });
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(LinearRelu, baseline, run);
WB_EXERCISE(LinearClipped);
