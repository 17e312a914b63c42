// What one writes first: blocks of 256, one element per load, one load at a time; a warp per row, a
// thread per column. It is the default that a search begins with.
//
// Predict: which of the three operations is furthest from its roof, and at which shape?
#include "launch.cuh"

namespace {

Launch make(const BlockSize::Args& p) {
  if (p.op == Operation::add) return prepare<Add{.block = 256, .width = 1, .loads = 1}>(p);
  if (p.op == Operation::columns)
    return prepare<Columns{.block = 256, .width = 1, .lines = 1, .loads = 1}>(p);
  return prepare<Rows{.block = 256, .team = 32, .rows = 1, .width = 1, .loads = 1, .stage = 0}>(p);
}

}  // namespace

WB_CUDA(BlockSize, baseline, make);
