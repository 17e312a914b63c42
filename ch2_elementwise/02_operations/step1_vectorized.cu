// Changes against the baseline: 16 bytes per load (four fp32 or eight 16-bit values), and up to
// four loads in flight per thread (tile.cuh). The functions are the same.
//
// Predict: for which of fp32 add, fp32 gelu and bf16 gelu is this enough to run at the speed of
// memory? An H200 moves 4.3 TB/s and issues some 33 x 10^12 instructions per second, counted per
// thread: how many is that per element of each?
#include "tile.cuh"

namespace {

void run(const Operations::Args& p, cudaStream_t stream) { launch<Plain>(p, stream); }

}  // namespace

WB_CUDA(Operations, step1_vectorized, run);
