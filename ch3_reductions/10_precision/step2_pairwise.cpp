// Changes against step 1: pairwise. A row is cut in halves, these again, and sums are added to sums
// of as many elements. Each element goes through ceil(log2 n) additions instead of n. 128
// neighbours are 8 vectors, which are halved in registers. (In step 1, 2^16 elements of bf16 with
// one exponent add up without any error, because 8 bits and 16 are 24.)
//
// Predict: ceil(log2 n) u is what part of n u at 16 Mi elements? And what happens to the time,
// where 127 additions of 128 no longer wait for the one before them?
#include <bit>

#include "precision.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr wb::i64 kBlock = 128;

template <class T> float sum_of_block(const T* x, wb::i64 n) {
  float value[kBlock] = {};
  if (n == kBlock)
    for (int i = 0; i < kBlock; ++i) value[i] = wb::to_float(x[i]);
  else
    for (int i = 0; i < n; ++i) value[i] = wb::to_float(x[i]);
  for (int half = kBlock / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) value[i] += value[i + half];
  return value[0];
}

template <class T> float pairwise(const T* x, wb::i64 n) {
  if (n <= kBlock) return sum_of_block(x, n);
  const wb::i64 blocks = (n + kBlock - 1) / kBlock;
  const wb::i64 left = (blocks + 1) / 2 * kBlock;
  return pairwise(x, left) + pairwise(x + left, n - left);
}

void run(const Precision::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    const auto* x = static_cast<const decltype(zero)*>(p.x);
    for (wb::i64 i = 0; i < p.sums; ++i) p.y[i] = pairwise(x + i * p.n, p.n);
  });
}

// ceil(log2 n), and 7 for a block that is not full.
double bound(const Precision::Args& p) {
  const auto n = static_cast<std::uint64_t>(std::max(p.n, kBlock));
  return chain_bound(kUnit, std::bit_width(n - 1));
}

}  // namespace

WB_CPU(Precision, step2_pairwise, run);
WB_BOUND(Precision, bound);
