// Exercise: the kernel of the baseline, with 32-bit numbers. It is right for every view, and it
// divides twice for each element, though a grid has three axes and could count batch, row and
// column itself.
//
// TODO 1: columns along x (threads and blocks), rows along y, matrices along z. No thread divides.
// TODO 2: with 4-byte loads, a thread of one element has too few bytes in flight. Let it go down
//         several rows, all loads before the first store.
// Goal: 0.85 times optimized at op=row,dtype=fp32,rows=8192,columns=8192
// Goal: 1.25 times step2_collapsed at op=transposed,dtype=bf16,rows=8192,columns=8192
// Hints are in README.md.
#include "broadcast_strided.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void add(Layout l, const T* x, const T* y, T* z) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= l.elements()) return;
  const unsigned rows = l.size[1], columns = l.size[2];
  const unsigned column = i % columns, row = i / columns % rows, batch = i / columns / rows;
  const wb::i64 at = batch * l.stride[0] + row * l.stride[1] + column * l.stride[2];
  z[i] = wb::from_float<T>(wb::to_float(x[i]) + wb::to_float(y[at]));
}

void run(const BroadcastStrided::Args& p, cudaStream_t stream) {
  const wb::i64 elements = p.layout.elements();
  if (elements == 0) return;
  if (elements > UINT32_MAX - kThreads) throw wb::Unsupported("2^32 elements or more");
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    add<<<(elements + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
        p.layout, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(BroadcastStrided, exercise, run);
