// Changes against step 1: nothing is moved. One axis after the other is reduced, the last one
// first: an axis divides the array into (outer, axis, inner), which is rows where inner is 1 and
// columns elsewhere. What is left in between is kept in fp32. (As of x.sum(2).sum(0).) Step 1
// needs no copy for (2,3) and all; elsewhere it moves three bytes for each byte of x.
//
// Predict: what do the arrays in between cost where the first axis is long? Where it is short? And
// what does a launch cost beside them?
#include <vector>

#include "arrays.cuh"

namespace {

constexpr int kThreads = 256;

struct Pass {
  i64 outer, axis, inner;
};

// `x` to `partial`, or to the results where that is null.
template <class Op, class T, class In>
__global__ void rows(Op, Arrays<T> a, const In* x, float* partial, Pass p) {
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= p.outer) return;  // the whole warp
  const int lane = threadIdx.x % kWarp;
  float value = Op::identity();
  for (i64 i = lane; i < p.axis; i += kWarp)
    value = Op::combine(value, wb::to_float(x[row * p.axis + i]));
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = Op::combine(value, __shfl_xor_sync(0xFFFFFFFF, value, distance));
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

std::vector<Pass> passes_of(Shape shape) {
  std::vector<Pass> passes;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (!shape.reduced[a]) continue;
    Pass p{1, shape.size[a], 1};
    for (int b = 0; b < shape.rank; ++b)
      (b < a ? p.outer : b > a ? p.inner : p.axis) *= b == a ? 1 : shape.size[b];
    passes.push_back(p);
    shape.size[a] = 1;
  }
  if (passes.empty()) passes.push_back({shape.elements(), 1, 1});
  return passes;
}

auto make(const MultiAxis::Args& p) {
  // Two arrays in turn: a pass reads what the one before it wrote.
  std::shared_ptr<float[]> partial[2];
  const std::vector<Pass> passes = passes_of(p.shape);
  for (std::size_t i = 0; i + 1 < passes.size() && i < 2; ++i)
    partial[i] = wb::make_device_array<float>(passes[i].outer * passes[i].inner + 1);
  return [p, passes, first = partial[0], second = partial[1]](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      float *from = second.get(), *to = first.get();
      for (std::size_t i = 0; i < passes.size(); ++i) {
        float* const out = i + 1 < passes.size() ? to : nullptr;
        if (passes[i].outer * passes[i].inner == 0) continue;
        if (i == 0)
          reduce(op, a, a.x, out, passes[i], stream);
        else
          reduce(op, a, static_cast<const float*>(from), out, passes[i], stream);
        std::swap(from, to);
      }
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, step2_axis_by_axis, make);
