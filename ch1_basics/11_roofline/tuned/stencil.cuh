// A thread takes four neighbouring columns of eight rows. It loads ten rows of them, 16 bytes each,
// before it computes, so most neighbours are in its own registers; those to the left and right are
// in the next lane's, and only the outermost lanes of a warp load them.
#pragma once

#include "../roofline.h"
#include "wb/cuda.h"

namespace {

constexpr int kStencilRows = 8, kStencilWarps = 8;  // rows per thread; warps per block

// kWidth is 4, or 1 where a row is no multiple of four long.
template <int kWidth> struct Piece { float value[kWidth]; };
template <> struct alignas(16) Piece<4> { float value[4]; };

template <int kWidth>
__global__ void __launch_bounds__(32 * kStencilWarps)
    five_points(wb::i64 m, wb::i64 n, const float* a, float* c) {
  using Row = Piece<kWidth>;
  const int lane = threadIdx.x;
  const wb::i64 column = (static_cast<wb::i64>(blockIdx.x) * 32 + lane) * kWidth;
  const wb::i64 first =
      (static_cast<wb::i64>(blockIdx.y) * kStencilWarps + threadIdx.y) * kStencilRows;
  const auto exists = [&](wb::i64 i, wb::i64 j) { return i >= 0 && i < m && j >= 0 && j < n; };

  Row row[kStencilRows + 2];  // first - 1 to first + kStencilRows
#pragma unroll
  for (int r = 0; r < kStencilRows + 2; ++r)
    row[r] = exists(first + r - 1, column)
                 ? *reinterpret_cast<const Row*>(a + (first + r - 1) * n + column)
                 : Row{};
  float beside[kStencilRows];  // outermost lanes: the neighbour that no lane has
  const wb::i64 outside = lane == 0 ? column - 1 : column + kWidth;
#pragma unroll
  for (int r = 0; r < kStencilRows; ++r)
    beside[r] =
        (lane == 0 || lane == 31) && exists(first + r, outside) ? a[(first + r) * n + outside] : 0;

#pragma unroll
  for (int r = 0; r < kStencilRows; ++r) {
    const Row &up = row[r], &here = row[r + 1], &down = row[r + 2];
    const float lower = __shfl_up_sync(~0u, here.value[kWidth - 1], 1);
    const float upper = __shfl_down_sync(~0u, here.value[0], 1);
    const float left = lane == 0 ? beside[r] : lower, right = lane == 31 ? beside[r] : upper;
    Row result;
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      result.value[i] =
          stencil(here.value[i], up.value[i], down.value[i], i == 0 ? left : here.value[i - 1],
                  i == kWidth - 1 ? right : here.value[i + 1]);
    if (exists(first + r, column)) *reinterpret_cast<Row*>(c + (first + r) * n + column) = result;
  }
}

void five_points(const Roofline::Args& p, cudaStream_t stream) {
  if (p.m * p.n == 0) return;
  const int width = p.n % 4 == 0 ? 4 : 1;
  const wb::i64 across = 32 * width, down = kStencilWarps * kStencilRows;
  const dim3 grid = wb::grid((p.n + across - 1) / across, (p.m + down - 1) / down);
  const dim3 block(32, kStencilWarps);
  if (width == 4)
    five_points<4><<<grid, block, 0, stream>>>(p.m, p.n, p.a, p.c);
  else
    five_points<1><<<grid, block, 0, stream>>>(p.m, p.n, p.a, p.c);
}

}  // namespace
