// Changes against baseline: a thread takes a whole row and walks along it.
//
// Predict: each request still touches 32 sectors, but the same sectors serve the next seven
// columns. Do L1 and L2 rescue this program? What do they not give back?
#include "coalescing.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr wb::i64 element(wb::i64 row, wb::i64 column, wb::i64 columns) {
  return row * columns + column;
}

__global__ void kernel(Coalescing::Args p) {
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= p.rows) return;
  for (wb::i64 column = 0; column < p.columns; ++column) {
    const wb::i64 i = element(row, column, p.columns);
    p.y[i] = p.weight[column] * p.x[i];
  }
}

// In one step of the loop all lanes are at the same column.
constexpr int kSectors = wb::sectors_per_request([](int lane) { return element(lane, 5, 16); });
static_assert(kSectors == 32);

void run(const Coalescing::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  const int threads = 256;
  kernel<<<(p.rows + threads - 1) / threads, threads, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Coalescing, step1_row_walk, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
