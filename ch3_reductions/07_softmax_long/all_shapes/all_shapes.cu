// Optional reading: a kernel for every shape (../../softmax/any_shape). Rows of 16 Ki to 512 Ki
// elements have a cluster of blocks, as in optimized; but they may begin anywhere, and where rows
// are few, each has a larger cluster. Longer rows are read twice, in two launches, as in step 1.
//
// Predict: a row of 64 Ki in fp32 has 256 KiB. How many blocks keep it in their registers?
#include "../../softmax/any_shape/rows.cuh"
#include "../softmax_long.h"

WB_CUDA(SoftmaxLong, all_shapes, make_any_shape);
WB_CASE_NOTE(SoftmaxLong, [](const SoftmaxLong::Args& p) { return choose(p).plan.text(); });
