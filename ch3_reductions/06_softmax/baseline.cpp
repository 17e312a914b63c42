// The formula, pass by pass, with std::exp and on one core. The exponentials of a row wait in a
// buffer of floats until their sum is known. The backward pass is a sum and then the products.
//
// Predict: std::exp is a call, and takes tens of cycles. How many bytes can a core read and write
// in that time, and how many does an element have?
#include <vector>

#include "../softmax/rows.h"
#include "softmax.h"

namespace {

template <class T> void forward(const T* x, T* y, std::vector<float>& kept) {
  const auto columns = static_cast<i64>(kept.size());
  float max = -kInfinity, sum = 0;
  for (i64 i = 0; i < columns; ++i) max = std::max(max, widen(x[i]));
  for (i64 i = 0; i < columns; ++i) sum += kept[i] = std::exp(widen(x[i]) - max);
  for (i64 i = 0; i < columns; ++i) y[i] = narrow<T>(kept[i] / sum);
}

template <class T> void backward(const T* y, const T* dy, T* dx, i64 columns) {
  float sum = 0;
  for (i64 i = 0; i < columns; ++i) sum += widen(y[i]) * widen(dy[i]);
  for (i64 i = 0; i < columns; ++i) dx[i] = narrow<T>(widen(y[i]) * (widen(dy[i]) - sum));
}

auto make(const Softmax::Args& p) {
  return [p, kept = std::vector<float>(p.columns)]() mutable {
    with_rows(p, [&](auto r) {
      for (i64 at = 0; at < r.rows * r.stride; at += r.stride)
        if (p.backward)
          backward(r.x + at, r.dy + at, r.out + at, r.columns);
        else
          forward(r.x + at, r.out + at, kept);
    });
  };
}

}  // namespace

WB_CPU(Softmax, baseline, make);
WB_EXERCISE(LossSoftmax);
