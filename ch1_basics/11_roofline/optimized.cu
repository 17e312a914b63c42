// Changes against baseline: below the slope, whole sectors and many bytes in flight; below the flat
// part, tiles in shared memory and registers, so that a multiply-add need not wait for its
// operands. What each operation does is in tuned/.
//
// Predict: how far up can each go? For which of them does a better kernel not help, because the
// launch takes most of the time?
#include "roofline.h"
#include "tuned/add.cuh"
#include "tuned/gemv.cuh"
#include "tuned/matmul.cuh"
#include "tuned/stencil.cuh"
#include "wb/cuda.h"

namespace {

auto make(const Roofline::Args& p) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return [p, multiprocessors](cudaStream_t stream) {
    switch (p.op) {
      case Op::add: add(p, stream); break;
      case Op::gemv: gemv(p, stream); break;
      case Op::stencil: five_points(p, stream); break;
      case Op::matmul: matmul(p, multiprocessors, stream);
    }
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(Roofline, optimized, make);
