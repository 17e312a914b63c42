// What the GPU variants share: a view of rows.
#pragma once

#include "../shared/team.cuh"
#include "softmax.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

template <class T> struct Rows {
  const T* x;
  const T* dy;  // backward alone
  T* out;
  i64 rows, columns, stride;
};

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const Softmax::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    f(Rows<T>{static_cast<const T*>(p.x), static_cast<const T*>(p.dy), static_cast<T*>(p.out),
              p.rows, p.columns, p.stride});
    WB_CHECK(cudaGetLastError());
  });
}

// The steps are about softmax itself, and the exercise about its gradient.
inline void forward_only(const Softmax::Args& p) {
  if (p.backward) throw wb::Unsupported("the backward pass is the exercise");
}
inline void backward_only(const Softmax::Args& p) {
  if (!p.backward) throw wb::Unsupported("the backward pass alone");
}

}  // namespace
