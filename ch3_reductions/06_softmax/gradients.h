// The passes over a row that its gradient takes, as passes.h has those of softmax.
#pragma once

#include "../softmax/rows.h"
#include "softmax.h"

namespace {

template <class T> float dot(const T* y, const T* dy, i64 count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (i64 i = 0; i < count; ++i) sum += widen(y[i]) * widen(dy[i]);
  return sum;
}

template <class T> void gradients(const T* y, const T* dy, float sum, T* dx, i64 count) {
#pragma omp simd
  for (i64 i = 0; i < count; ++i) dx[i] = narrow<T>(widen(y[i]) * (widen(dy[i]) - sum));
}

}  // namespace
