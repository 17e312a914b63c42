// One sum per thread: all that a thread keeps from step to step along k is one register.
//
// Predict: each multiply-add takes a value of A and one of B from shared memory. A multiprocessor
// multiplies for four warps per cycle, and its shared memory serves one. Which share of the
// multiply-adds is left? How many blocks of 256 threads are resident, if a thread has 32 registers?
#include "tile.cuh"

namespace {

void run(const RegisterPressure::Args& p, cudaStream_t stream) {
  launch<1, 1>(multiply<1, 1>, p, stream);
}

}  // namespace

WB_CUDA(RegisterPressure, baseline, run);
WB_CASE_NOTE(RegisterPressure,
             [](const RegisterPressure::Args&) { return compiled(multiply<1, 1>); });
