// One element per thread, computed in fp32 with the C library's functions, whatever is stored. One
// kernel serves all eleven operations: the compiler makes one of it for each operation and type, so
// nothing is chosen while it runs.
//
// Predict: an element of gelu takes some 30 instructions, one of add takes one. Both read and write
// fp32. How much slower is gelu? And in bf16, where half of the bytes remain?
#include "functions.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

template <class Op, class T> __global__ void kernel(wb::i64 count, const T* x, const T* y, T* z) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float second = Op::binary ? wb::to_float(y[i]) : 0;
  z[i] = wb::from_float<T>(evaluate(Op(), wb::to_float(x[i]), second));
}

void run(const Operations::Args& p, cudaStream_t stream) {
  if (p.count == 0) return;
  with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    kernel<decltype(op)><<<(p.count + 255) / 256, 256, 0, stream>>>(
        p.count, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(Operations, baseline, run);
WB_EXERCISE(TanhGelu);
