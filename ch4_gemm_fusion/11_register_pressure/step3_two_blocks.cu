// Changes against step 2, where eight rows reach four multiply-adds per load, eleven leave one
// block, and 32 spill: one number. __launch_bounds__(256, 2) promises two blocks per
// multiprocessor, so the compiler keeps to 128 registers, whatever that takes. (-maxrregcount=128
// does the same to every kernel of a file.)
//
// Predict: for which numbers of rows does that change nothing, for which does it buy a second block
// at no cost, and for which at a high one?
#include "tile.cuh"

namespace {

constexpr int kBlocks = 2;

void run(const RegisterPressure::Args& p, cudaStream_t stream) {
  with_rows(p.rows, [&](auto rows) { launch<rows(), 8>(multiply<rows(), 8, kBlocks>, p, stream); });
}

}  // namespace

WB_CUDA(RegisterPressure, step3_two_blocks, run);
WB_CASE_NOTE(RegisterPressure, [](const RegisterPressure::Args& p) {
  return with_rows(p.rows, [](auto rows) { return compiled(multiply<rows(), 8, kBlocks>); });
});
