// Optional reading: a product of any shape. `optimized` is made for a large C whose rows TMA can
// read, and refuses every other n and k. ../../shared/any_shape has what else is needed, in the
// order in which a product meets it:
//
//   plan.h         chooses by a model of the time: a tile, a kernel, and how k is cut
//   pad.cuh        copies A and B to rows of whole 16 bytes, where the product takes much longer
//   aligned.cuh    tiles of several sizes, brought by TMA
//   unaligned.cuh  the same without TMA: threads load, shift and store what wgmma will read
//   finish.cuh     the slices of k are added up in a cluster, or parts of k by a second kernel;
//                  then C leaves, for any n
//
// Where C is large and n a multiple of 8, ../../shared/fused_gemm.cuh takes it.
//
// Predict: 7 x 6575 x 6961 reads 92 MB of B. At your bandwidth, how long is that? Which of these
// files will take part?
#include "../../shared/any_shape/product.cuh"
#include "../../shared/product16.cuh"
#include "../hopper_pipeline.h"

namespace {

struct Nothing {
  __device__ float operator()(float sum, int) const { return sum; }
};

auto make(const TensorCores::Args& p) {
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) {
    return any_shape::gemm(p.m, p.n, p.k, a, b, c, Nothing());
  });
}

}  // namespace

WB_CUDA(TensorCores, all_shapes, make);
WB_NEEDS("8.0");
WB_CASE_NOTE(TensorCores,
             [](const TensorCores::Args& p) { return any_shape::note(p.m, p.n, p.k); });
