// Bug hunt: Kahan's sum (1965). The part that an addition loses joins the next element: four
// operations, where optimized.cpp has seven. It asks which of the two numbers is larger, because an
// addition loses a part of the smaller one. 16 sums grow side by side, and are added to each other
// at the end. It is right for a few elements. For many it is no better than a plain sum:
//
//   ./workbook test 10_precision/exercise
//
// TODO: take sum = 1 and x = 2^-25, twice, and work out what add() leaves in sum and lost. Two
// things are wrong.
// Goal: right at every size
// Hints are in README.md.
#include <cmath>

#include "precision.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr int kLanes = 16;

struct Kahan {
  float sum = 0, lost = 0;  // lost: what did not fit into sum, and joins the next addition
  void add(float x) {
    const float y = x - lost, total = sum + y;
    if (!std::isinf(total))  // infinity less infinity is no number
      lost = std::fabs(y) < std::fabs(sum) ? sum - (total - y) : y - (total - sum);
    sum = total;
  }
  void add(const Kahan& other) {
    const float both = lost + other.lost;
    lost = 0, add(other.sum), lost += both;
  }
};

template <class T> float sum_of(const T* x, wb::i64 n) {
  Kahan lane[kLanes];
  wb::i64 i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int j = 0; j < kLanes; ++j) lane[j].add(wb::to_float(x[i + j]));
  for (; i < n; ++i) lane[0].add(wb::to_float(x[i]));
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lane[j].add(lane[j + half]);
  return lane[0].sum + lane[0].lost;
}

void run(const Precision::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    const auto* x = static_cast<const decltype(zero)*>(p.x);
    for (wb::i64 i = 0; i < p.sums; ++i) p.y[i] = sum_of(x + i * p.n, p.n);
  });
}

}  // namespace

WB_CPU(Precision, exercise, run);
