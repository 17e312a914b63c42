// What the GPU variants share: rows with their type.
#pragma once

#include "../shared/team.cuh"
#include "softmax.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const Softmax::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    f(rows_of<T>(p));
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
