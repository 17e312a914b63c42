// A fixed table by size class, as a library ships one: the best that a search over all
// configurations found on an H200 (2026-11-25), at one shape of each class. At other shapes, and on
// other GPUs, it is a guess.
//
// (The default is furthest from its roof at rows of 7: with a warp for each row it takes 14 times
// as long as a thread per row.)
//
// Predict: the rows of 7 are read by a thread each, 4 bytes per load, 28 bytes apart. Rows of 49 go
// through shared memory. Why does one need it, and not the other?
#include "launch.cuh"

namespace {

Launch make(const BlockSize::Args& p) {
  if (p.op == Operation::add) {
    if (p.columns <= 1 << 20) return launch(p, "BLOCK=128 WIDTH=4 LOADS=2");
    if (p.columns <= 1 << 26) return launch(p, "BLOCK=1024 WIDTH=2 LOADS=2");
    return launch(p, "BLOCK=128 WIDTH=2 LOADS=1");
  }
  if (p.op == Operation::columns) {
    if (p.rows <= 32) return launch(p, "BLOCK=256 WIDTH=1 LOADS=1 LINES=1 SPLIT=1");
    if (p.columns >= 4096) return launch(p, "BLOCK=1024 WIDTH=2 LOADS=4 LINES=32 SPLIT=1");
    return launch(p, "BLOCK=256 WIDTH=4 LOADS=4 LINES=4 SPLIT=64");
  }
  if (p.columns <= 16) return launch(p, "BLOCK=512 WIDTH=1 LOADS=8 TEAM=1 ROWS=2 STAGE=0");
  if (p.columns <= 256) return launch(p, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=4 ROWS=1 STAGE=1");
  return launch(p, "BLOCK=256 WIDTH=2 LOADS=8 TEAM=256 ROWS=1 STAGE=0");
}

}  // namespace

WB_CUDA(BlockSize, optimized, make);
