// A sum by many accumulators on a CPU: an addition waits for the one before it, so a single
// accumulator is a chain, and the compiler may make no vectors of it.
#pragma once

#include "wb/axes.h"

namespace {

using wb::i64;

constexpr int kChains = 64;  // accumulators, whose additions need not wait for each other

// The sum of value[0], value[kStep], value[2 * kStep] ... of 16: halves are added to halves.
template <int kStep> float folded(const float* value) {
  if constexpr (kStep == 16)
    return *value;
  else
    return folded<2 * kStep>(value) + folded<2 * kStep>(value + kStep);
}

// The sum of term(i) for i < count. What is left at the end is added up apart: indexes that the
// compiler does not know would send all accumulators to memory.
template <class F> float sum_of(i64 count, F term) {
  static_assert(kChains == 64);
  float sum[kChains] = {}, of_four[16];  // accumulators
  i64 i = 0;
  for (; i + kChains <= count; i += kChains)
    for (int j = 0; j < kChains; ++j) sum[j] += term(i + j);
  if (i < count) {
    float rest[kChains] = {};
    for (int j = 0; i + j < count; ++j) rest[j] = term(i + j);
    for (int j = 0; j < kChains; ++j) sum[j] += rest[j];
  }
  for (int j = 0; j < 16; ++j) of_four[j] = (sum[j] + sum[j + 32]) + (sum[j + 16] + sum[j + 48]);
  return folded<1>(of_four);
}

}  // namespace
