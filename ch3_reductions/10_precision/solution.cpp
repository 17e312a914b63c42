// The exercise, solved: the part of the smaller number that was added is the total minus the larger
// number. The rest of the smaller number is lost, and must be added to the next element, not
// subtracted from it.
#include <cmath>

#include "precision.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr int kLanes = 16;

struct Kahan {
  float sum = 0, lost = 0;  // lost: what did not fit into sum, and joins the next addition
  void add(float x) {
    const float y = x + lost, total = sum + y;
    if (!std::isinf(total))  // infinity less infinity is no number
      lost = std::fabs(y) > std::fabs(sum) ? sum - (total - y) : y - (total - sum);
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

WB_CPU(Precision, solution, run);
