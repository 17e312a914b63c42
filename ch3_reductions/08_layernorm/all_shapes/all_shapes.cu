// Optional reading: a kernel for every shape (../../norms/any_shape). Short rows share a warp or a
// block, rows of up to 64 KiB stay in the registers of a block, longer ones in those of a cluster
// of blocks, and x of the longest rows is read twice.
//
// Predict: what is left to gain for rows of 8192 against a plain copy? A row of 64 Ki in fp32 would
// fit into half of the registers of two multiprocessors: why do eight blocks share it?
#include "../../norms/any_shape/norms.cuh"
#include "../layernorm.h"

WB_CUDA(LayerNorm, all_shapes, make_any_shape);
WB_CASE_NOTE(LayerNorm, [](const LayerNorm::Args& p) { return plan_of(p).text(); });
