// Changes against baseline: a block transposes a tile of 32 x 32 in shared memory, where lanes may
// access any word. Now both the loads and the stores on device memory run along rows.
//
// Predict: both sides touch 4 sectors per request. But reading a column of the tile asks one bank
// for all 32 words. Does that still matter when memory is so much slower?
#include "tile_grid.cuh"
#include "transpose.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kTile = 32, kRows = 8;  // a tile, and how many rows of it the block's threads span

constexpr wb::i64 at(wb::i64 row, wb::i64 column, wb::i64 width) { return row * width + column; }
constexpr int in_tile(int row, int column) { return row * kTile + column; }

__global__ void kernel(Transpose::Args p) {
  __shared__ float tile[in_tile(kTile, 0)];
  const wb::i64 row0 = static_cast<wb::i64>(blockIdx.y) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x) * kTile;
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += kRows)
    if (row0 + y < p.rows && column0 + x < p.columns)
      tile[in_tile(y, x)] = p.in[at(row0 + y, column0 + x, p.columns)];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += kRows)
    if (column0 + y < p.columns && row0 + x < p.rows)
      p.out[at(column0 + y, row0 + x, p.rows)] = tile[in_tile(x, y)];
}

constexpr int kSectors = wb::sectors_per_request([](int lane) { return at(0, lane, 8192); });
constexpr int kConflicts = wb::bank_conflicts([](int lane) { return in_tile(lane, 0); });
static_assert(kSectors == 4 && kConflicts == 32);

void run(const Transpose::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  kernel<<<tile_grid(p, kTile, kTile), dim3(kTile, kRows), 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Transpose, step1_shared, run);
WB_NOTE(wb::requests_note(kSectors, kSectors, kConflicts));
