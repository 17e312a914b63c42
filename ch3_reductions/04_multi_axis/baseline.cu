// One thread per result, and for each element the coordinates in all axes by division and
// remainder: right for every shape, and the first kernel that one would write.
//
// Predict: a division by a number that the compiler does not know takes some twenty instructions.
// How many per element for the axes 0 and 2? And how many threads have work in 128x4096x128?
#include "arrays.cuh"

namespace {

constexpr int kThreads = 256;
constexpr i64 kMost = 1 << 23;  // elements in a row for one thread: seconds

struct Axes {  // those that are kept, or those that are reduced
  int count = 0;
  unsigned size[kMostAxes];
  i64 stride[kMostAxes];

  Axes(const Shape& shape, bool reduced) {
    i64 apart = 1;
    for (int a = shape.rank - 1; a >= 0; apart *= shape.size[a--])
      if (shape.reduced[a] == reduced)
        size[count] = static_cast<unsigned>(shape.size[a]), stride[count++] = apart;
  }
  __device__ i64 offset(unsigned index) const {
    i64 at = 0;
    for (int a = 0; a < count; ++a) {
      at += index % size[a] * stride[a];
      index /= size[a];
    }
    return at;
  }
};

template <class Op, class T> __global__ void reduce(Op, Arrays<T> a, Axes kept, Axes reduced) {
  const i64 result = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (result >= a.results) return;
  const T* x = a.x + kept.offset(static_cast<unsigned>(result));
  float value = Op::identity();
  for (unsigned i = 0; i < a.per_result; ++i)
    value = Op::combine(value, wb::to_float(x[reduced.offset(i)]));
  a.finish(result, value);
}

auto make(const MultiAxis::Args& p) {
  if (p.shape.per_result() > kMost) throw wb::Unsupported("one thread per result: takes seconds");
  if (p.shape.results() > UINT32_MAX) throw wb::Unsupported("more than 2^32 results");
  return [p](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      reduce<<<blocks(a.results, kThreads), kThreads, 0, stream>>>(op, a, Axes(p.shape, false),
                                                                   Axes(p.shape, true));
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, baseline, make);
