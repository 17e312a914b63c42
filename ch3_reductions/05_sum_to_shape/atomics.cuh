// Each element of x is added to its place of the gradient by an atomic addition.
#pragma once

#include "arrays.cuh"

namespace {

constexpr int kThreads = 256;

// The place of an element in y: its coordinates by division and remainder, without those of summed
// axes.
struct Place {
  int rank;
  unsigned size[kMostAxes];
  i64 stride[kMostAxes];  // in y; 0 where the axis is summed

  explicit Place(const Shape& shape) : rank(shape.rank) {
    i64 apart = 1;
    for (int a = rank - 1; a >= 0; --a) {
      size[a] = static_cast<unsigned>(shape.size[a]);
      stride[a] = shape.reduced[a] ? 0 : apart;
      if (!shape.reduced[a]) apart *= shape.size[a];
    }
  }
  __device__ i64 of(unsigned element) const {
    i64 at = 0;
    for (int a = rank - 1; a >= 0; --a) {
      at += element % size[a] * stride[a];
      element /= size[a];
    }
    return at;
  }
};

template <class T> __global__ void add(Arrays<T> a, float* sum, Place place) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < a.elements) atomicAdd(&sum[place.of(static_cast<unsigned>(i))], wb::to_float(a.x[i]));
}

template <class T> __global__ void convert(Arrays<T> a, const float* sum) {
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (i < a.results) a.y[i] = wb::from_float<T>(sum[i]);
}

// In `sum`, which is y where that is fp32.
template <class T>
void add_atomically(const Arrays<T>& a, const Shape& shape, float* sum, cudaStream_t stream) {
  if constexpr (std::is_same_v<T, float>) sum = a.y;
  WB_CHECK(cudaMemsetAsync(sum, 0, a.results * sizeof(float), stream));
  if (a.elements > 0)
    add<<<blocks(a.elements, kThreads), kThreads, 0, stream>>>(a, sum, Place(shape));
  if constexpr (!std::is_same_v<T, float>)
    convert<<<blocks(a.results, kThreads), kThreads, 0, stream>>>(a, sum);
}

inline auto make_atomics(const SumToShape::Args& p) {
  if (p.shape.elements() > UINT32_MAX) throw wb::Unsupported("more than 2^32 elements");
  const auto sum = wb::make_device_array<float>(p.shape.results() + 1);
  return [p, sum](cudaStream_t stream) {
    with_arrays(p, [&](auto a) { add_atomically(a, p.shape, sum.get(), stream); });
  };
}

}  // namespace
