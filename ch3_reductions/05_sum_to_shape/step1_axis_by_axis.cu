// Changes against baseline: no atomic additions. One kernel per summed axis, the last axis first:
// rows where nothing is behind it, columns elsewhere. What is left in between is kept in fp32.
//
// Predict: to 1x256x1x1, three axes are summed. How much does each of the kernels read?
#include <utility>
#include <vector>

#include "arrays.cuh"

namespace {

constexpr int kThreads = 256, kWarp = 32;

struct Pass {
  i64 outer, axis, inner;
};

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
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFF, value, distance);
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
  if (p.outer * p.inner == 0) return;
  if (p.inner == 1)
    rows<<<blocks(p.outer, kThreads / kWarp), kThreads, 0, stream>>>(x, to, p);
  else
    columns<<<blocks(p.outer * p.inner, kThreads), kThreads, 0, stream>>>(x, to, p);
}

std::vector<Pass> passes_of(Shape shape) {
  std::vector<Pass> passes;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (!shape.reduced[a]) continue;
    Pass p{1, shape.size[a], 1};
    for (int b = 0; b < a; ++b) p.outer *= shape.size[b];
    for (int b = a + 1; b < shape.rank; ++b) p.inner *= shape.size[b];
    passes.push_back(p);
    shape.size[a] = 1;
  }
  if (passes.empty()) passes.push_back({1, 1, shape.elements()});  // a copy
  return passes;
}

auto make(const SumToShape::Args& p) {
  const std::vector<Pass> passes = passes_of(p.shape);
  std::shared_ptr<float[]> partial[2];  // in turn: a pass reads what the one before it wrote
  for (std::size_t i = 0; i + 1 < passes.size() && i < 2; ++i)
    partial[i] = wb::make_device_array<float>(passes[i].outer * passes[i].inner + 1);
  return [p, passes, first = partial[0], second = partial[1]](cudaStream_t stream) {
    with_arrays(p, [&](auto a) {
      float *from = second.get(), *to = first.get();
      for (std::size_t i = 0; i < passes.size(); ++i) {
        const Target<std::remove_pointer_t<decltype(a.y)>> target{
            i + 1 < passes.size() ? to : nullptr, a.y};
        if (i == 0)
          reduce(a.x, target, passes[i], stream);
        else
          reduce(static_cast<const float*>(from), target, passes[i], stream);
        std::swap(from, to);
      }
    });
  };
}

}  // namespace

WB_CUDA(SumToShape, step1_axis_by_axis, make);
