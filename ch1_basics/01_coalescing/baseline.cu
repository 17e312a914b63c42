// A thread for each element. The grid's y stops at 65,535 blocks, so the long side of the table,
// the rows, goes to x: threadIdx.x is the row.
//
// Predict: neighbouring lanes are a whole row apart. How many sectors does one request touch, and
// how many of their bytes are used before L2 has dropped them?
#include "coalescing.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr wb::i64 element(wb::i64 row, wb::i64 column, wb::i64 columns) {
  return row * columns + column;
}

__global__ void kernel(Coalescing::Args p) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  const wb::i64 column = blockIdx.y;
  if (row >= p.rows) return;
  const wb::i64 i = element(row, column, p.columns);
  p.y[i] = p.weight[column] * p.x[i];
}

// 16 columns, as in the benchmark.
constexpr int kSectors = wb::sectors_per_request([](int lane) { return element(lane, 0, 16); });
static_assert(kSectors == 32);

void run(const Coalescing::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  if (p.columns > 65535) throw wb::Unsupported("too wide: the grid's y stops at 65,535 blocks");
  const int threads = 256;
  const dim3 grid = wb::grid((p.rows + threads - 1) / threads, p.columns);
  kernel<<<grid, threads, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Coalescing, baseline, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
