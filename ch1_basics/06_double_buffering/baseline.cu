// One chunk at a time: copy in, compute, copy out, wait. Memory is pinned and the buffers are made
// beforehand, and still two of the three engines (copy in, SMs, copy out) are idle at any moment.
//
// Predict: copying in takes half as long as copying out, computing somewhat less than copying out.
// How much of the wall time does the GPU compute?
#include "stages.cuh"

namespace {

auto make(const DoubleBuffering::Args& p) {
  return [p, buffers = Buffers(p)](cudaStream_t stream) {
    for (wb::i64 i = 0; i < p.chunks(); ++i) {
      copy_in(p, i, buffers, stream);
      compute(p, i, buffers, stream);
      copy_out(p, i, buffers, stream);
      WB_CHECK(cudaStreamSynchronize(stream));
    }
  };
}

}  // namespace

WB_CUDA(DoubleBuffering, baseline, make);
