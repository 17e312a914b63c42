// Changes against baseline, where two loads per multiply-add leave one multiply-add in eight, and
// eight blocks are resident: 4 x 4 sums per thread. Four values of A and four of B serve sixteen
// multiply-adds.
//
// Predict: how many values per multiply-add is that? How many registers are the sums and the
// operands, and how many blocks are resident now? Then read the note next to the row.
#include "tile.cuh"

namespace {

void run(const RegisterPressure::Args& p, cudaStream_t stream) {
  launch<4, 4>(multiply<4, 4>, p, stream);
}

}  // namespace

WB_CUDA(RegisterPressure, step1_small_tile, run);
WB_CASE_NOTE(RegisterPressure,
             [](const RegisterPressure::Args&) { return compiled(multiply<4, 4>); });
