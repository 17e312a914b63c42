// Each element has a thread: neighbouring lanes take neighbouring columns of `in`.
//
// Predict: the loads touch 4 sectors per request. And the stores?
#include "tile_grid.cuh"
#include "transpose.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr wb::i64 at(wb::i64 row, wb::i64 column, wb::i64 width) { return row * width + column; }

__global__ void kernel(Transpose::Args p) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.y) * blockDim.y + threadIdx.y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < p.rows && column < p.columns)
    p.out[at(column, row, p.rows)] = p.in[at(row, column, p.columns)];
}

constexpr int kLoad = wb::sectors_per_request([](int lane) { return at(0, lane, 8192); });
constexpr int kStore = wb::sectors_per_request([](int lane) { return at(lane, 0, 8192); });
static_assert(kLoad == 4 && kStore == 32);

void run(const Transpose::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  const dim3 block(32, 8);
  kernel<<<tile_grid(p, block.y, block.x), block, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Transpose, baseline, run);
WB_NOTE(wb::requests_note(kLoad, kStore));
WB_EXERCISE(QuarterTurn);
