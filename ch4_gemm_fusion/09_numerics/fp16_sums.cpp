// In addition to the steps: operands of fp16, and sums of fp16, 11 bits. The CPU adds in fp32 and
// rounds each sum, for 16 columns at a time; the bits are those of an addition in fp16.
//
// Predict: a term is 0.66 in the middle. Above which sum is half a unit in the last place more than
// that, so that the sum stops growing?
#include "numerics.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr int kLanes = 16;

float in_fp16(float x) { return wb::to_float(wb::from_float<wb::half>(x)); }

void run(const Numerics::Args& p) {
  std::vector<float> columns(kLanes * p.k);  // of B^T
  for (wb::i64 first = 0; first < p.n; first += kLanes) {
    const int count = static_cast<int>(std::min<wb::i64>(kLanes, p.n - first));
    for (int j = 0; j < count; ++j)
      for (wb::i64 l = 0; l < p.k; ++l)
        columns[l * kLanes + j] = in_fp16(p.b[(first + j) * p.k + l]);
    for (wb::i64 i = 0; i < p.m; ++i) {
      float sum[kLanes] = {};
      for (wb::i64 l = 0; l < p.k; ++l) {
        const float a = in_fp16(p.a[i * p.k + l]);
        for (int j = 0; j < kLanes; ++j) sum[j] = in_fp16(sum[j] + a * columns[l * kLanes + j]);
      }
      std::copy_n(sum, count, p.c + i * p.n + first);
    }
  }
}

double bound(const Numerics::Args& p) {
  constexpr double kLost = wb::kRounding<wb::half>;
  return p.bound(2 * kLost + kLost * kLost, additions(kLost, p.k + 1.0));
}

}  // namespace

WB_CPU(Numerics, fp16_sums, run);
WB_BOUND(Numerics, bound);
