// The reduction of neighbours with many accumulators, for the CPU variants after the baseline.
#pragma once

#include <algorithm>

#include "rows.h"

namespace {

constexpr int kChains = 64;  // accumulators: four vectors of 16 floats, or eight of 8

// A vector addition takes three or four cycles, and the next one to the same accumulator must wait
// for it. The compiler may not add in another order than what is written, so it can't do this.
template <class Op, class T> float over_span(const T* x, i64 count) {
  if (count < kChains) {
    float all = Op::identity();
    for (i64 i = 0; i < count; ++i) all = Op::combine(all, wb::to_float(x[i]));
    return all;
  }
  float value[kChains];
  std::fill_n(value, kChains, Op::identity());
  i64 i = 0;
  for (; i + kChains <= count; i += kChains)
    for (int j = 0; j < kChains; ++j) value[j] = Op::combine(value[j], wb::to_float(x[i + j]));
  for (int j = 0; i + j < count; ++j) value[j] = Op::combine(value[j], wb::to_float(x[i + j]));
  for (int half = kChains / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) value[j] = Op::combine(value[j], value[j + half]);
  return value[0];
}

}  // namespace
