// The values that people write first: blocks of 256, one element per load, one load at a time, a
// warp per row, a thread per column. A search begins with this default. NVRTC compiles candidate.cu
// for it, with the values as macros.
//
// Predict: which of the three operations is furthest from its roof, and at which shape?
#include "launch.cuh"

namespace {

Launch make(const BlockSize::Args& p) {
  if (p.op == Operation::add) return launch(p, "BLOCK=256 WIDTH=1 LOADS=1");
  if (p.op == Operation::columns) return launch(p, "BLOCK=256 WIDTH=1 LOADS=1 LINES=1 SPLIT=1");
  return launch(p, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=32 ROWS=1 STAGE=0");
}

}  // namespace

WB_CUDA(BlockSize, baseline, make);
