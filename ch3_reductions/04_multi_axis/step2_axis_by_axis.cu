// Changes against step 1: nothing is moved. One axis after the other is reduced, the last one
// first: an axis divides the array into (outer, axis, inner), which is rows where inner is 1 and
// columns elsewhere. Results in between are kept in fp32, as of x.sum(2).sum(0). (Step 1 needs no
// copy for (2,3) and all; elsewhere it moves three bytes for each byte of x.)
//
// Predict: what do the arrays in between cost where the first axis is long? Where it is short? And
// what does a launch cost compared with them?
#include "../reduce_axes/passes.cuh"
#include "../shared/shuffle.cuh"
#include "arrays.cuh"

namespace {

constexpr int kThreads = 256;

// `x` to `partial`, or to the results where that is null.
template <class Op, class T, class In>
__global__ void rows(Op, Arrays<T> a, const In* x, float* partial, Pass p) {
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= p.outer) return;  // the whole warp
  const int lane = threadIdx.x % kWarp;
  float value = Op::identity();
  for (i64 i = lane; i < p.axis; i += kWarp)
    value = Op::combine(value, wb::to_float(x[row * p.axis + i]));
  value = warp_reduce<Op>(value);
  if (lane == 0) partial ? void(partial[row] = value) : a.finish(row, value);
}

template <class Op, class T, class In>
__global__ void columns(Op, Arrays<T> a, const In* x, float* partial, Pass p) {
  const i64 own = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (own >= p.outer * p.inner) return;
  x += own / p.inner * p.axis * p.inner + own % p.inner;
  float value = Op::identity();
  for (i64 i = 0; i < p.axis; ++i) value = Op::combine(value, wb::to_float(x[i * p.inner]));
  partial ? void(partial[own] = value) : a.finish(own, value);
}

template <class Op, class T, class In>
void reduce(Op op, const Arrays<T>& a, const In* x, float* to, const Pass& p, cudaStream_t s) {
  if (p.inner == 1)
    rows<<<blocks(p.outer, kThreads / kWarp), kThreads, 0, s>>>(op, a, x, to, p);
  else
    columns<<<blocks(p.outer * p.inner, kThreads), kThreads, 0, s>>>(op, a, x, to, p);
}

auto make(const MultiAxis::Args& p) {
  return [p, passes = Passes(p.shape)](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      passes.run(a.x, [&](auto* from, float* to, const Pass& pass) {
        reduce(op, a, from, to, pass, stream);
      });
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, step2_axis_by_axis, make);
