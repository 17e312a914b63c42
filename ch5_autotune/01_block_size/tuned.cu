// The values that a search found for this device and this very case; before a search, the default.
//
//   ./workbook tune 01_block_size --axis op=rows --axis rows=4194304 --axis columns=49
#include "launch.cuh"
#include "space_cuda.h"

namespace {

Launch make(const BlockSize::Args& p) { return launch(p, tune::choose(WB_BACKEND, p.axes)); }

}  // namespace

WB_CUDA(BlockSize, tuned, make);
WB_TUNABLE("candidate.cu", gpu::space, gpu::predict);
WB_CASE_NOTE(BlockSize, [](const BlockSize::Args& p) { return tune::chosen(WB_BACKEND, p.axes); });
