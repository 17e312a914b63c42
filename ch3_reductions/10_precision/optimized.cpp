// Changes against step 1: the error of each fp32 addition is kept. The error of a + b is itself a
// number of fp32, and six operations without a branch find it, also if b is larger than a (Moller
// 1965, Knuth's TwoSum). `rest` adds up those errors and joins the sum at the very end (Neumaier
// 1974). All of that is done in vectors of 16 lanes, two at a time, and on all cores: in pieces of
// 16 Ki elements, which are then added pairwise. Their places follow from n, so the same input
// gives the same bits on any number of cores. The result is off by u for its own rounding, and by
// some (k u)^2 for the k = 512 additions of a chain: 2 u are allowed. (A compiler with -ffast-math
// would conclude that the error is 0, and leave it out.)
//
// Predict: seven operations per vector instead of one. Does a core still add faster than memory
// delivers?
#include <cmath>
#include <cstring>
#include <vector>

#include "precision.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr int kLanes = 16, kVectors = 2;
constexpr wb::i64 kPiece = 16 << 10;
constexpr double kAlone = 0x1p21;  // bytes up to which one core alone is faster
typedef float Vector __attribute__((vector_size(4 * kLanes)));

template <class V> struct Compensated {
  V sum{}, rest{};
  void add(const V& x) {
    const V total = sum + x, of_x = total - sum, of_sum = total - of_x;
    rest += (sum - of_sum) + (x - of_x);
    sum = total;
  }
  void add(const Compensated& other) {
    add(other.sum);
    rest += other.rest;
  }
};
using Scalar = Compensated<float>;

template <class T> Vector load(const T* x) {
  float value[kLanes];
  for (int i = 0; i < kLanes; ++i) value[i] = wb::to_float(x[i]);
  Vector v;
  std::memcpy(&v, value, sizeof v);
  return v;
}

template <class T> Scalar sum_of_piece(const T* x, wb::i64 n) {
  Compensated<Vector> sum[kVectors];
  wb::i64 i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes)
    for (int j = 0; j < kVectors; ++j) sum[j].add(load(x + i + j * kLanes));
  for (int j = 1; j < kVectors; ++j) sum[0].add(sum[j]);
  Scalar all;
  for (int lane = 0; lane < kLanes; ++lane) all.add(Scalar{sum[0].sum[lane], sum[0].rest[lane]});
  for (; i < n; ++i) all.add(wb::to_float(x[i]));
  return all;
}

// Infinity less infinity is no number, so with an infinite sum there is no rest.
float result(const Scalar& s) { return std::isfinite(s.rest) ? s.sum + s.rest : s.sum; }

auto make(const Precision::Args& p) {
  const wb::i64 pieces = std::max<wb::i64>((p.n + kPiece - 1) / kPiece, 1);
  return [=, part = std::vector<Scalar>(p.sums * pieces)]() mutable {
    wb::with_dtype(p.dtype, [&](auto zero) {
      const auto* x = static_cast<const decltype(zero)*>(p.x);
#pragma omp parallel for schedule(static) if (Precision::cost(p).read > kAlone)
      for (wb::i64 i = 0; i < p.sums * pieces; ++i) {
        const wb::i64 from = i % pieces * kPiece;
        part[i] = sum_of_piece(x + i / pieces * p.n + from, std::min(kPiece, p.n - from));
      }
    });
    for (wb::i64 row = 0; row < p.sums; ++row) {
      Scalar* const own = part.data() + row * pieces;
      for (wb::i64 step = 1; step < pieces; step *= 2)
        for (wb::i64 i = 0; i + step < pieces; i += 2 * step) own[i].add(own[i + step]);
      p.y[row] = result(own[0]);
    }
  };
}

}  // namespace

WB_CPU(Precision, optimized, make);
