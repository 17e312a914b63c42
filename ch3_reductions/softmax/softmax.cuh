// What the GPU variants share: rows with their type.
#pragma once

#include "../shared/team.cuh"
#include "softmax_rows.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const SoftmaxRows::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    f(rows_of<T>(p));
    WB_CHECK(cudaGetLastError());
  });
}

// What a variant does not have.
inline void no_reader(const SoftmaxRows::Args& p) {
  if (p.read)
    throw wb::Unsupported("the pair with a reader is for baseline, optimized and evict_last");
}
inline void forward_only(const SoftmaxRows::Args& p) {
  if (p.backward) throw wb::Unsupported("the backward pass is the exercise");
  no_reader(p);
}
inline void backward_only(const SoftmaxRows::Args& p) {
  if (!p.backward) throw wb::Unsupported("the backward pass alone");
}

}  // namespace
