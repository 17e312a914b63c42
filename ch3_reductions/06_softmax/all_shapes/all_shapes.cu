// Optional reading: a kernel for every shape (../../softmax/any_shape). Short rows share a warp or
// a block, rows of up to 16 Ki elements stay in the registers of a block, longer ones in those of a
// cluster of blocks, and of the longest ones two launches read every piece twice.
//
// Predict: rows of 16 floats have 64 bytes. With a block for each row, how many of 256 threads have
// something to do, and how many rows should a warp take?
#include "../../softmax/any_shape/rows.cuh"
#include "../softmax.h"

namespace {

auto make(const Softmax::Args& p) {
  no_reader(p);
  return make_any_shape(p);
}

}  // namespace

WB_CUDA(Softmax, all_shapes, make);
WB_CASE_NOTE(Softmax, [](const Softmax::Args& p) { return choose(p).plan.text(); });
