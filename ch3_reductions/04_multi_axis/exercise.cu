// Exercise: one axis after the other, with arrays in between. Right for every shape; for the axes 0
// and 2 of 64x128x64x128 it reads x once and then 1/64 of it again, with one 4-byte load at a time.
//
// TODO 1: write the plan. Drop axes of size 1, and make one group of neighbours that are both kept
//         or both reduced. What groups are left of (0,2)? Of (0,1)? Of (0,2,3) in 32x256x56x56?
// TODO 2: one launch for (reduced or nothing, kept or nothing, reduced, columns): a block per kept
//         place, 32 threads across the columns with 16 bytes each, rows of both reduced groups
//         below each other, and the results meet in shared memory.
// TODO 3: 128 such blocks fill no GPU. Let several blocks share the rows, each leave its values,
//         and the last one add them up (make the scratch in set-up).
// Keep what is below for the shapes that do not fit.
// Goal: 0.9 times optimized at op=sum,dtype=fp32,shape=256x1024x256,axes=1
// Goal: at most 8000 requests at op=sum,dtype=fp32,shape=8x256x256,axes=1
// Hints are in README.md.
#include "../reduce_axes/passes.cuh"
#include "arrays.cuh"

namespace {

constexpr int kThreads = 256;

// `x` to `partial`, or to the results where that is null.
template <class Op, class T, class In>
__global__ void reduce(Op, Arrays<T> a, const In* x, float* partial, Pass p) {
  const i64 own = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (own >= p.outer * p.inner) return;
  x += own / p.inner * p.axis * p.inner + own % p.inner;
  float value = Op::identity();
  for (i64 i = 0; i < p.axis; ++i) value = Op::combine(value, wb::to_float(x[i * p.inner]));
  partial ? void(partial[own] = value) : a.finish(own, value);
}

auto make(const MultiAxis::Args& p) {
  const Passes passes(p.shape);
  if (passes.longest() > 1 << 23) throw wb::Unsupported("one thread per result: takes seconds");
  return [p, passes](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      passes.run(a.x, [&](auto* from, float* to, const Pass& pass) {
        const unsigned grid = blocks(pass.outer * pass.inner, kThreads);
        reduce<<<grid, kThreads, 0, stream>>>(op, a, from, to, pass);
      });
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, exercise, make);
