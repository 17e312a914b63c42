// Changes against step 1, which loads once for two multiply-adds, with 56 registers and four
// resident blocks (nvcc 13.0, sm_90a): eight columns, and as many rows per thread as the case says,
// up to 32. More sums mean fewer loads per multiply-add, and more registers: first fewer blocks are
// resident, then the sums of a thread no longer fit.
//
// Predict: at which number of rows are there four multiply-adds per load? At which does the second
// block go, and at which does the compiler spill?
#include "tile.cuh"

namespace {

void run(const RegisterPressure::Args& p, cudaStream_t stream) {
  with_rows(p.rows, [&](auto rows) { launch<rows(), 8>(multiply<rows(), 8>, p, stream); });
}

}  // namespace

WB_CUDA(RegisterPressure, step2_tile, run);
WB_CASE_NOTE(RegisterPressure, [](const RegisterPressure::Args& p) {
  return with_rows(p.rows, [](auto rows) { return compiled(multiply<rows(), 8>); });
});
