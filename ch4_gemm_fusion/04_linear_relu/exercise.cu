// A layer with a clipped ReLU, y = min(relu(x W^T + b), 1) (LinearClipped). The product is by
// tensor cores, written by hand (see 02_tensor_cores): a block makes a 64 x 64 tile of y, four
// warps 32 x 32 each. A warp holds its sums in wmma fragments, whose order only the compiler
// knows. So the kernel stores all sums in fp32, and a second kernel adds the bias, clips and
// rounds: 8 bytes per output to memory and back, and only the 2 of y are needed.
//
// TODO: let `multiply` write y. Store the fragments into shared memory, where rows are rows again,
//       synchronize, and let each thread finish some elements; then `sums` and `finish` can go.
// Goal: at most 2 times as long as step1_library at m=2048,n=4096,k=64,dtype=bf16
// Goal: at most 1 runtime_calls at m=128,n=256,k=64,dtype=bf16
// Hints are in README.md.
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

// `sums` has whole tiles: its rows have `width` numbers.
template <class T>
__global__ void multiply(int m, int n, int k, const T* x, const T* w, float* sums, int width) {
  if constexpr (kMultiplies<T>) {
    __shared__ __align__(32) T tile_x[kTile * kStride], tile_w[kTile * kStride];
    using namespace nvcuda;
    const int row = blockIdx.y * kTile, column = blockIdx.x * kTile, warp = threadIdx.x / 32;
    const int down = warp / 2 * 32, right = warp % 2 * 32;  // of this warp, in the tile
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (auto& part : sum)
      for (auto& fragment : part) wmma::fill_fragment(fragment, 0);
    for (int start = 0; start < k; start += kDepth) {
      for (int i = threadIdx.x; i < kTile * kDepth / 8; i += kThreads) {
        const int r = i / (kDepth / 8), l = i % (kDepth / 8) * 8;
        load(&tile_x[r * kStride + l], x + wb::i64{row + r} * k, start + l, k, row + r < m);
        load(&tile_w[r * kStride + l], w + wb::i64{column + r} * k, start + l, k, column + r < n);
      }
      __syncthreads();
      for (int l = 0; l < kDepth; l += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b[2];
        for (int i = 0; i < 2; ++i) {
          wmma::load_matrix_sync(a[i], &tile_x[(down + 16 * i) * kStride + l], kStride);
          wmma::load_matrix_sync(b[i], &tile_w[(right + 16 * i) * kStride + l], kStride);
        }
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
      }
      __syncthreads();
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        wmma::store_matrix_sync(
            sums + wb::i64{row + down + 16 * i} * width + column + right + 16 * j, sum[i][j], width,
            wmma::mem_row_major);
  }
}

template <class T>
__global__ void finish(int m, int n, const float* sums, int width, const T* bias, T* y) {
  const int column = blockIdx.y * blockDim.x + threadIdx.x, row = blockIdx.x;
  if (column >= n) return;
  const float sum = sums[wb::i64{row} * width + column] + wb::to_float(bias[column]);
  y[wb::i64{row} * n + column] = wb::from_float<T>(fminf(fmaxf(sum, 0), 1));
}

using Function = std::function<void(cudaStream_t)>;

template <class T>
Function make_layer(const LinearClipped::Args& p, const T* x, const T* w, const T* bias, T* y) {
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile);
  if (grid.x * grid.y == 0) return [](cudaStream_t) {};
  const int width = grid.x * kTile;
  const auto sums = wb::make_device_array<float>(wb::i64{grid.y} * kTile * width);
  return [=](cudaStream_t stream) {
    multiply<<<grid, kThreads, 0, stream>>>(p.m, p.n, p.k, x, w, sums.get(), width);
    finish<<<dim3(p.m, (p.n + 255) / 256), 256, 0, stream>>>(p.m, p.n, sums.get(), width, bias, y);
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

WB_CUDA(LinearClipped, exercise, make);
WB_NEEDS("8.0 for bf16");
