// A fixed table by size class, as a library ships one: the best that a search over all
// configurations found on an H200 (2026-11-25), at one shape of each class. At other shapes, and on
// other GPUs, it is a guess.
//
// (The default is furthest from its roof at rows of 7: a warp for each, and 14 times as long.)
//
// Predict: the rows of 7 are read by a thread each, 4 bytes per load, 28 bytes apart. Rows of 49 go
// through shared memory. Why does one need it, and not the other?
#include "launch.cuh"

namespace {

Launch make(const BlockSize::Args& p) {
  if (p.op == Operation::add) {
    if (p.columns <= 1 << 20) return prepare<Add{.block = 128, .width = 4, .loads = 2}>(p);
    if (p.columns <= 1 << 26) return prepare<Add{.block = 1024, .width = 2, .loads = 2}>(p);
    return prepare<Add{.block = 128, .width = 2, .loads = 1}>(p);
  }
  if (p.op == Operation::columns) {
    if (p.rows <= 32) return prepare<Columns{.block = 128, .width = 4, .lines = 2, .loads = 1}>(p);
    if (p.columns >= 4096)
      return prepare<Columns{.block = 1024, .width = 2, .lines = 32, .loads = 4}>(p);
    return prepare<Columns{.block = 256, .width = 4, .lines = 4, .loads = 4, .split = 64}>(p);
  }
  if (p.columns <= 16)
    return prepare<Rows{.block = 256, .team = 1, .rows = 2, .width = 1, .loads = 4, .stage = 0}>(p);
  if (p.columns <= 256)
    return prepare<Rows{.block = 256, .team = 4, .rows = 1, .width = 1, .loads = 1, .stage = 1}>(p);
  return prepare<Rows{.block = 256, .team = 256, .rows = 1, .width = 2, .loads = 8, .stage = 0}>(p);
}

}  // namespace

WB_CUDA(BlockSize, optimized, make);
