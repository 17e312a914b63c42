// What the CPU variants share: the arrays of a case, with its type as a template, and an odometer.
#pragma once

#include "../reduce_axes/operations.h"
#include "sum_to_shape.h"

namespace {

template <class T> struct Arrays {
  const T* x;
  T* y;
  i64 results, elements;

  void store(const float* sum) const {
    for (i64 i = 0; i < results; ++i) y[i] = wb::from_float<T>(sum[i]);
  }
};

// f(arrays) for the type of this case.
template <class F> void with_arrays(const SumToShape::Args& p, F f) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    f(Arrays<T>{static_cast<const T*>(p.x), static_cast<T*>(p.y), p.shape.results(),
                p.shape.elements()});
  });
}

// Counts the coordinates of elements from `element` on, and where each belongs in y.
class Odometer {
 public:
  Odometer(const Shape& shape, i64 element) : shape_(shape) {
    i64 apart = 1;
    for (int a = shape.rank - 1; a >= 0; --a) {
      step_[a] = shape.reduced[a] ? 0 : apart;
      if (!shape.reduced[a]) apart *= shape.size[a];
      at_[a] = shape.size[a] ? element % shape.size[a] : 0;
      if (shape.size[a]) element /= shape.size[a];
      place_ += at_[a] * step_[a];
    }
  }
  i64 place() const { return place_; }
  void next() {
    for (int a = shape_.rank - 1; a >= 0; --a) {
      place_ += step_[a];
      if (++at_[a] < shape_.size[a]) return;
      place_ -= step_[a] * shape_.size[a], at_[a] = 0;
    }
  }

 private:
  const Shape& shape_;
  i64 at_[kMostAxes], step_[kMostAxes], place_ = 0;
};

}  // namespace
