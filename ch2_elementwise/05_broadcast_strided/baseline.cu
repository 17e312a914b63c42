// One kernel for every view, as one writes it first: one thread per element, and from the element's
// number its batch, row and column, with 64-bit numbers, as sizes are.
//
// Predict: a GPU has no instruction that divides. How many does a 64-bit division take, and how
// many divisions does an element need? Which view suffers for another reason?
#include "broadcast_strided.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void add(Layout l, const T* x, const T* y, T* z) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= l.elements()) return;
  const wb::i64 column = i % l.size[2], row = i / l.size[2] % l.size[1];
  const wb::i64 batch = i / l.size[2] / l.size[1];
  const wb::i64 at = batch * l.stride[0] + row * l.stride[1] + column * l.stride[2];
  z[i] = wb::from_float<T>(wb::to_float(x[i]) + wb::to_float(y[at]));
}

void run(const BroadcastStrided::Args& p, cudaStream_t stream) {
  const wb::i64 blocks = (p.layout.elements() + kThreads - 1) / kThreads;
  if (blocks == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    add<<<blocks, kThreads, 0, stream>>>(p.layout, static_cast<const T*>(p.x),
                                         static_cast<const T*>(p.y), static_cast<T*>(p.z));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(BroadcastStrided, baseline, run);
