// What the CUDA variants share: the arrays of a case, with its type as a template.
#pragma once

#include "../shared/launch.cuh"
#include "../shared/operations.h"
#include "sum_to_shape.h"
#include "wb/half.cuh"

namespace {

template <class T> struct Arrays {
  const T* x;
  T* y;
  i64 results, elements;
};

// f(arrays) for the type of this case; not where there are no results.
template <class F> void with_arrays(const SumToShape::Args& p, F f) {
  if (p.shape.results() == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    f(Arrays<T>{static_cast<const T*>(p.x), static_cast<T*>(p.y), p.shape.results(),
                p.shape.elements()});
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace
