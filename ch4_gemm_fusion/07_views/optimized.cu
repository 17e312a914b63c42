// Against step 1: one launch for all heads and one template for all layouts. A block makes a
// 128 x 128 tile of C from 16 columns of A and 16 rows of B at a time, kept in shared memory as
// [k][m] and [k][n]. The layout of a matrix decides one thing: along which index four
// neighbours in memory follow each other. Along m or n they are stored to shared memory as they
// come; along k each goes to another row. All code after that is the same.
//
// Predict: is the product of nt, nn or tn slower than the others, and why?
#include "views.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 128, kDepth = 16, kThreads = 256;
constexpr int kLoads = kTile * kDepth / 4 / kThreads;  // of 16 bytes, per thread and matrix

using Shared = float[kDepth][kTile + 4];  // + 4: stores along k meet in fewer banks

// Four neighbours, 0 where there are none.
__device__ float4 load(const float* row, int at, int end, bool row_exists, bool wide) {
  if (!row_exists || at >= end) return {};
  if (wide) return *reinterpret_cast<const float4*>(row + at);
  return {row[at], at + 1 < end ? row[at + 1] : 0, at + 2 < end ? row[at + 2] : 0,
          at + 3 < end ? row[at + 3] : 0};
}

// A kTile x kDepth piece of a matrix that has `size` rows of k (AlongK) or k rows of `size`.
template <bool AlongK> struct Loader {
  const float* data;
  wb::i64 leading;
  int size, k, first;  // the tile begins at row or column `first`
  bool wide;           // every four neighbours are there or not, and aligned
  float4 value[kLoads];

  static __device__ int line(int i) {  // of memory, in the tile
    return (threadIdx.x + i * kThreads) / (AlongK ? kDepth / 4 : kTile / 4);
  }
  static __device__ int quad(int i) {
    return (threadIdx.x + i * kThreads) % (AlongK ? kDepth / 4 : kTile / 4) * 4;
  }
  __device__ void fetch(int start) {  // columns of A and rows of B from `start` on
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int row = (AlongK ? first : start) + line(i), at = (AlongK ? start : first) + quad(i);
      value[i] = load(data + row * leading, at, AlongK ? k : size, row < (AlongK ? size : k), wide);
    }
  }
  __device__ void keep(Shared& tile) const {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const float4 v = value[i];
      if (AlongK) {
        tile[quad(i)][line(i)] = v.x, tile[quad(i) + 1][line(i)] = v.y;
        tile[quad(i) + 2][line(i)] = v.z, tile[quad(i) + 3][line(i)] = v.w;
      } else {
        *reinterpret_cast<float4*>(&tile[line(i)][quad(i)]) = v;
      }
    }
  }
};

__device__ void read(const Shared& tile, int l, int at, float (&out)[8]) {  // 4 from both halves
  *reinterpret_cast<float4*>(out) = *reinterpret_cast<const float4*>(&tile[l][at]);
  *reinterpret_cast<float4*>(out + 4) = *reinterpret_cast<const float4*>(&tile[l][at + kTile / 2]);
}

template <bool TransposedA, bool TransposedB>
__global__ void __launch_bounds__(kThreads, 2) multiply(Views::Args p, bool wide_a, bool wide_b) {
  __shared__ Shared left[2], right[2];
  const int m = p.m, n = p.n, k = p.k, row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const wb::i64 head = blockIdx.z;
  Loader<!TransposedA> a{p.a.data + head * p.a.stride, p.a.leading, m, k, row0, wide_a};
  Loader<TransposedB> b{p.b.data + head * p.b.stride, p.b.leading, n, k, column0, wide_b};
  const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
  float sum[8][8] = {};
  a.fetch(0), b.fetch(0);
  a.keep(left[0]), b.keep(right[0]);
  __syncthreads();
  for (int start = 0, now = 0; start < k; start += kDepth, now ^= 1) {
    const bool more = start + kDepth < k;
    if (more) a.fetch(start + kDepth), b.fetch(start + kDepth);  // on their way while we multiply
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      alignas(16) float u[8], v[8];
      read(left[now], l, y, u), read(right[now], l, x, v);
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += u[i] * v[j];
    }
    if (more) a.keep(left[now ^ 1]), b.keep(right[now ^ 1]);
    __syncthreads();
  }
  const bool wide = n % 4 == 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + y + i % 4 + i / 4 * (kTile / 2);
    if (row >= m) continue;
    float* const c = p.c.data + head * p.c.stride + row * p.c.leading;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int column = column0 + x + half * (kTile / 2);
      const float* const from = &sum[i][half * 4];
      if (wide && column < n)
        *reinterpret_cast<float4*>(c + column) = {from[0], from[1], from[2], from[3]};
      else
        for (int j = 0; j < 4; ++j)
          if (column + j < n) c[column + j] = from[j];
    }
  }
}

void run(const Views::Args& p, cudaStream_t stream) {
  if (p.heads * p.m * p.n == 0) return;
  const dim3 grid = wb::grid((p.n + kTile - 1) / kTile, (p.m + kTile - 1) / kTile, p.heads);
  const auto kernel = p.a_transposed   ? multiply<true, false>
                      : p.b_transposed ? multiply<false, true>
                                       : multiply<false, false>;
  kernel<<<grid, kThreads, 0, stream>>>(p, p.a.columns % 4 == 0, p.b.columns % 4 == 0);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Views, optimized, run);
