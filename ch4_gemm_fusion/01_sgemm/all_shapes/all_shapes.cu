// Optional reading: a plan for every shape. The kernels are in ../../shared/sgemm, where
// 04_linear_relu uses them, too. A block makes a tile of C from a part of k, and where k is cut, a
// second kernel adds up what the blocks of a tile have left in memory: always in the same order, so
// the same input gives the same bits.
//
//   plan.h     chooses by a model of the time: a kernel, a tile, and how many parts of k
//   tile.cuh   the kernel of optimized, compiled for seven tiles
//   thin.cuh   C has few rows: values of B go to registers and serve all of them; or few columns:
//              the same for values of A
//   parts.cuh  adds up the parts
//   gemm.cuh   launches what the plan says
//
// Predict: a single row times 4096 x 4096 reads 67 MB for 34 million operations. What limits it?
// And what limits 16 rows?
#include "../../shared/sgemm/gemm.cuh"
#include "../sgemm.h"

namespace {

auto make(const Sgemm::Args& p) { return sgemm::gemm(p.m, p.n, p.k, p.a, p.b, p.c); }

}  // namespace

WB_CUDA(Sgemm, all_shapes, make);
WB_CASE_NOTE(Sgemm, [](const Sgemm::Args& p) { return sgemm::choose(p.m, p.n, p.k).text(); });
