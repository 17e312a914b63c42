// Optional reading: a kernel for every shape (../../norms/any_shape). Up to 8 Ki columns it has the
// plan of optimized, with two rows on their way, and with several rows per block where rows are
// short. Longer rows are read twice, as in step 1.
//
// Predict: a block leaves a slab of sums per column. Of rows of 128 elements, how many should a
// block take at a time?
#include "../../norms/any_shape/norms.cuh"
#include "../layernorm_backward.h"

WB_CUDA(LayerNormBackward, all_shapes, make_any_shape);
WB_CASE_NOTE(LayerNormBackward, [](const LayerNormBackward::Args& p) { return plan_of(p).text(); });
