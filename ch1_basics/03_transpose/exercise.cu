// Exercise: an image turned a quarter clockwise (QuarterTurn), by the tile of step1, with its bank
// conflicts.
//
// TODO: remove the conflicts without padding: the tile keeps its 32 x 32 words. Change in_tile() so
// that element (row, column) is kept elsewhere in its row, at a position that depends on the row.
// No two elements may have the same position.
//
// Goal: 1.3 times step1_shared at rows=8192,columns=8192
// Goal: at most 1 shared_cycles_per_request at rows=512,columns=512
// Without padding, and with no bank conflicts (the note of its row counts them): tiles that a
// tensor core or TMA reads cannot be padded, so they are swizzled like this.
#include "tile_grid.cuh"
#include "transpose.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 32, kRows = 8;  // a tile, and how many rows of it the block's threads span

constexpr wb::i64 at(wb::i64 row, wb::i64 column, wb::i64 width) { return row * width + column; }
constexpr int in_tile(int row, int column) { return row * kTile + column; }

__global__ void kernel(QuarterTurn::Args p) {
  __shared__ float tile[kTile * kTile];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kRows)
    if (row0 + y < p.rows && column0 + x < p.columns)
      tile[in_tile(y, x)] = p.in[at(row0 + y, column0 + x, p.columns)];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += kRows)
    if (column0 + y < p.columns && row0 + x < p.rows)
      p.out[at(column0 + y, p.rows - 1 - (row0 + x), p.rows)] = tile[in_tile(x, y)];
}

constexpr int kSectors = wb::sectors_per_request([](int lane) { return at(0, lane, 8192); });
constexpr int kWrite = wb::bank_conflicts([](int lane) { return in_tile(5, lane); });
constexpr int kRead = wb::bank_conflicts([](int lane) { return in_tile(lane, 5); });

void run(const QuarterTurn::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  kernel<<<tile_grid(p, kTile, kTile), dim3(kTile, kRows), 0, stream>>>(p);
}

}  // namespace

WB_CUDA(QuarterTurn, exercise, run);
WB_NOTE(wb::requests_note(kSectors, kSectors, kRead > kWrite ? kRead : kWrite));
