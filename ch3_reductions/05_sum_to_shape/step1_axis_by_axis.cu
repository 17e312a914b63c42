// Changes against baseline: no atomic additions. One kernel per summed axis, the last axis first:
// rows where no axis comes after it, columns elsewhere. Arrays in between are kept in fp32.
//
// Predict: to 1x256x1x1, three axes are summed. How much does each of the kernels read?
#include "../reduce_axes/passes.cuh"
#include "../shared/shuffle.cuh"
#include "arrays.cuh"

namespace {

constexpr int kThreads = 256;

// `x` to `partial`, or to the gradient where that is null.
template <class T> struct Target {
  float* partial;
  T* y;
  __device__ void store(i64 i, float value) const {
    if (partial)
      partial[i] = value;
    else
      y[i] = wb::from_float<T>(value);
  }
};

template <class T, class In> __global__ void rows(const In* x, Target<T> to, Pass p) {
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= p.outer) return;  // the whole warp
  const int lane = threadIdx.x % kWarp;
  float value = 0;
  for (i64 i = lane; i < p.axis; i += kWarp) value += wb::to_float(x[row * p.axis + i]);
  value = warp_reduce<Plus>(value);
  if (lane == 0) to.store(row, value);
}

template <class T, class In> __global__ void columns(const In* x, Target<T> to, Pass p) {
  const i64 own = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (own >= p.outer * p.inner) return;
  x += own / p.inner * p.axis * p.inner + own % p.inner;
  float value = 0;
  for (i64 i = 0; i < p.axis; ++i) value += wb::to_float(x[i * p.inner]);
  to.store(own, value);
}

template <class T, class In>
void reduce(const In* x, const Target<T>& to, const Pass& p, cudaStream_t stream) {
  if (p.inner == 1)
    rows<<<blocks(p.outer, kThreads / kWarp), kThreads, 0, stream>>>(x, to, p);
  else
    columns<<<blocks(p.outer * p.inner, kThreads), kThreads, 0, stream>>>(x, to, p);
}

auto make(const SumToShape::Args& p) {
  return [p, passes = Passes(p.shape)](cudaStream_t stream) {
    with_arrays(p, [&](auto a) {
      using T = std::remove_pointer_t<decltype(a.y)>;
      passes.run(a.x, [&](auto* from, float* to, const Pass& pass) {
        reduce(from, Target<T>{to, a.y}, pass, stream);
      });
    });
  };
}

}  // namespace

WB_CUDA(SumToShape, step1_axis_by_axis, make);
