// The backward pass in two stages. All blocks find the two sums that dx needs, of pieces of rows;
// where rows are short, a warp of one row. Then each block has some columns of some rows: it writes
// dx there, and keeps the sums over its rows, one per column, in registers. It stores those in
// `partial`, and a last kernel adds them up, always in the same order. x and dy are read twice, the
// second time the last rows first, because L2 still has them.
#pragma once

#include "../slabs.cuh"
#include "sums.cuh"

namespace {

constexpr int kTileThreads = 256;      // per block
constexpr int kSumBlocks = 4096;       // that find sums, or so
constexpr int kSumColumns = 4096;      // of each, at least, where a row has several
constexpr int kWarpColumns = 2048;     // of a row for which a warp is enough
constexpr int kTileColumns = 2 << 20;  // of all slabs: what limits the partial sums
constexpr int kMostSlabs = 1024;
constexpr int kTileRows = 128;  // whose means a block has at a time

// The sums of g = dy * weight and of g * xhat of `piece` columns, a whole number of packs.
template <int kWidth, class T>
__global__ void __launch_bounds__(kTileThreads)
    sums_of_pieces(Norm<T> n, int pieces, i64 piece, float2* sums) {
  __shared__ float2 of_warp[kWarp];
  const i64 index = i64{blockIdx.x} * blockDim.y + threadIdx.y, row = index / pieces;
  if (row >= n.rows) return;  // a whole warp, where blocks have several rows
  const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
  const float mean = n.saved_mean(row), rstd = n.rstd[row];
  const i64 begin = index % pieces * piece, end = min(begin + piece, n.columns);
  float2 sum = {0, 0};
#pragma unroll 4
  for (i64 i = begin + threadIdx.x * kWidth; i < end; i += blockDim.x * kWidth) {
    float x_at[kWidth], dy_at[kWidth], weight[kWidth];
    Pack<T, kWidth>::load(x + i).to_floats(x_at);
    Pack<T, kWidth>::load(dy + i).to_floats(dy_at);
    Pack<T, kWidth>::load(n.weight + i).to_floats(weight);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) {
      const float g = dy_at[j] * weight[j];
      sum.x += g, sum.y += g * (x_at[j] - mean) * rstd;
    }
  }
  sum = blockDim.x == kWarp ? over_warp(sum) : over_block(sum, of_warp);
  if (threadIdx.x == 0) sums[index] = sum;
}

// blockDim.x threads have columns, and blockDim.y of these share the rows.
template <int kWidth, class T>
__global__ void __launch_bounds__(kTileThreads)
    dx_and_columns(Norm<T> n, int pieces, int lanes, const float2* sums, float* partial,
                   i64 rows_per_slab) {
  using Own = Pack<T, kWidth>;
  constexpr int kAtOnce = kWidth == 1 ? 8 : 2;
  __shared__ float4 of_row[kTileRows];  // mean, rstd, and rstd times the means of g and g * xhat
  __shared__ float of_thread[2 * kWidth][kTileThreads];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  const i64 column = (i64{blockIdx.x} * blockDim.x + threadIdx.x) * kWidth;
  const i64 slab = gridDim.y - 1 - blockIdx.y;  // the last rows first
  const i64 end = min((slab + 1) * rows_per_slab, n.rows);
  const bool has = column < n.columns;
  float weight[kWidth], dweight[kWidth] = {}, dbias[kWidth] = {};
  if (has) Pack<T, kWidth>::load(n.weight + column).to_floats(weight);
  for (i64 first = slab * rows_per_slab; first < end; first += kTileRows) {
    const int rows = static_cast<int>(min(end - first, i64{kTileRows}));
    // `lanes`, a power of two, add up the pieces of a row.
    for (int top = 0; top < rows; top += threads / lanes) {
      const int r = top + thread / lanes;
      float2 sum = {0, 0};
      if (r < rows)
        for (int i = thread % lanes; i < pieces; i += lanes) {
          const float2 one = sums[(first + r) * pieces + i];
          sum.x += one.x, sum.y += one.y;
        }
      const float g = over_warp(sum.x, lanes), gx = over_warp(sum.y, lanes);
      if (r < rows && thread % lanes == 0) {
        const float rstd = n.rstd[first + r], by = rstd * n.share;
        of_row[r] = {n.saved_mean(first + r), rstd, n.rms ? 0 : g * by, gx * by};
      }
    }
    __syncthreads();
    // Loads of several rows at once: the compiler moves none to the front of a store.
    if (has)
      for (int top = threadIdx.y; top < rows; top += kAtOnce * blockDim.y) {
        const auto row = [&](int i) { return top + i * static_cast<int>(blockDim.y); };
        Own x_of[kAtOnce], dy_of[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (row(i) < rows) {
            x_of[i] = Own::load_once(n.row_of_x(first + row(i)) + column);
            dy_of[i] = Own::load_once(n.dy + (first + row(i)) * n.columns + column);
          }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          if (row(i) >= rows) break;
          const float4 own = of_row[row(i)];
          float x[kWidth], dy[kWidth], dx[kWidth];
          x_of[i].to_floats(x), dy_of[i].to_floats(dy);
#pragma unroll
          for (int j = 0; j < kWidth; ++j) {
            const float xhat = (x[j] - own.x) * own.y;
            dx[j] = own.y * dy[j] * weight[j] - own.z - xhat * own.w;
            dweight[j] += dy[j] * xhat, dbias[j] += dy[j];
          }
          Own::of(dx).store_once(n.dx + (first + row(i)) * n.columns + column);
        }
      }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kWidth; ++j)
    of_thread[j][thread] = dweight[j], of_thread[kWidth + j][thread] = dbias[j];
  __syncthreads();
  if (threadIdx.y > 0 || !has) return;
  partial += slab * 2 * n.columns + column;
#pragma unroll
  for (int j = 0; j < kWidth; ++j) {
    for (int other = thread + blockDim.x; other < threads; other += blockDim.x)
      dweight[j] += of_thread[j][other], dbias[j] += of_thread[kWidth + j][other];
    partial[j] = dweight[j], partial[n.columns + j] = dbias[j];
  }
}

// What set-up allocates for it.
struct TwoStages {
  TwoStages() = default;
  TwoStages(const NormRows::Args& p, int width) {
    if (p.rows == 0 || p.columns == 0) return;
    const i64 most = std::max<i64>(p.columns / kSumColumns, 1);
    piece = up(up(p.columns, std::clamp<i64>(up(kSumBlocks, p.rows), 1, most)), width) * width;
    pieces = static_cast<int>(up(p.columns, piece));
    while (lanes < std::min(pieces, kWarp)) lanes *= 2;
    const i64 slabs_wanted = std::clamp<i64>(kTileColumns / p.columns, 1, kMostSlabs);
    rows_per_slab = up(p.rows, slabs_wanted), slabs = up(p.rows, rows_per_slab);
    const i64 packs = p.columns / width;
    tile.x = static_cast<unsigned>(whole_warps(up(packs, up(packs, kTileThreads))));
    tile.y = kTileThreads / tile.x;
    sums = wb::make_device_array<float2>(p.rows * pieces);
    partial = wb::make_device_array<float>(partial_floats(p.columns, slabs));
  }

  template <int kWidth, class T> void run(const Norm<T>& n, cudaStream_t stream) const {
    if (n.rows > 0) {
      const dim3 rows =
          n.columns <= kWarpColumns ? dim3(kWarp, kTileThreads / kWarp) : dim3(kTileThreads);
      sums_of_pieces<kWidth>
          <<<blocks(n.rows * pieces, rows.y), rows, 0, stream>>>(n, pieces, piece, sums.get());
      const dim3 grid(blocks(n.columns, i64{tile.x} * kWidth), static_cast<unsigned>(slabs));
      dx_and_columns<kWidth>
          <<<grid, tile, 0, stream>>>(n, pieces, lanes, sums.get(), partial.get(), rows_per_slab);
    }
    add_slabs(n, partial.get(), slabs, stream);
  }

  i64 piece = 0, rows_per_slab = 0, slabs = 0;
  int pieces = 1, lanes = 1;
  dim3 tile;
  std::shared_ptr<float2[]> sums;
  std::shared_ptr<float[]> partial;
};

}  // namespace
