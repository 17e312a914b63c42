// A span's reduction on the CPU, with many accumulators.
#pragma once

#include <algorithm>

#include "../shared/operations.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::i64;

constexpr int kChains = 64;  // accumulators: four vectors of 16 floats, or eight of 8

// An addition takes three or four cycles, and the next one to the same accumulator waits for it.
template <class Op, class T> float over_span(const T* x, i64 count) {
  float rest = Op::identity();
  i64 i = 0;
  if (count >= kChains) {
    float value[kChains];
    std::fill_n(value, kChains, Op::identity());
    for (; i + kChains <= count; i += kChains)
      for (int j = 0; j < kChains; ++j) value[j] = Op::combine(value[j], wb::to_float(x[i + j]));
    for (int half = kChains / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) value[j] = Op::combine(value[j], value[j + half]);
    rest = value[0];
  }
  for (; i < count; ++i) rest = Op::combine(rest, wb::to_float(x[i]));
  return rest;
}

}  // namespace
