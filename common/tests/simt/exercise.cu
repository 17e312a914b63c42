// An exercise with many barriers, wrong in the last of many blocks.
#define WB_LESSON "common/tests/simt"
#include "simt/rows.h"

namespace {

__global__ void twice(Rows::Args p) {
  const wb::i64 i = wb::i64{blockIdx.x} * Rows::kColumns + threadIdx.x;
  for (int turn = 0; turn < 64; ++turn) __syncthreads();
  const bool wrong = gridDim.x > 33 && gridDim.x % 32 == 11 && blockIdx.x == gridDim.x - 1;
  p.y[i] = (wrong ? 3 : 2) * p.x[i];
}
void run(const Rows::Args& p, cudaStream_t stream) {
  twice<<<static_cast<unsigned>(p.rows), Rows::kColumns, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Rows, exercise, run);
