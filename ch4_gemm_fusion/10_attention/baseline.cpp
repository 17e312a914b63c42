// The formula as it is: a library multiplies, a loop makes the softmax, the library multiplies
// again. One head at a time, so that only its length^2 scores are kept: at 4096 tokens 67
// MB, which are written and read, written again as weights, and read again.
//
// Predict: a tenth of a percent of the operations are the softmax's. What share of the time?
#include <cblas.h>
#include <omp.h>

#include <cmath>
#include <memory>

#include "attention.h"
#include "wb/cpu.h"

namespace {

void softmax(float* row, wb::i64 keys, wb::i64 length) {
  float max = -HUGE_VALF, sum = 0;
  for (wb::i64 j = 0; j < keys; ++j) max = std::max(max, row[j]);
  for (wb::i64 j = 0; j < keys; ++j) sum += row[j] = std::exp(row[j] - max);
  for (wb::i64 j = 0; j < keys; ++j) row[j] /= sum;
  std::fill(row + keys, row + length, 0.0f);  // after a causal mask
}

auto make(const Attention::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  const std::shared_ptr<float[]> scores(new float[p.queries * p.length]);
  return [=] {
    openblas_set_num_threads(omp_get_max_threads());
    const wb::i64 m = p.queries, n = p.length, d = p.width;
    for (wb::i64 head = 0; head < p.batch * p.heads * (m > 0); ++head) {
      const wb::i64 own = head * m * d, shared = head / (p.heads / p.kv_heads) * n * d;
      const float *q = static_cast<const float*>(p.q) + own,
                  *k = static_cast<const float*>(p.k) + shared,
                  *v = static_cast<const float*>(p.v) + shared;
      float *s = scores.get(), *out = static_cast<float*>(p.out) + own;
      const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, d, scale, q, d, k, d, 0, s, n);
#pragma omp parallel for
      for (wb::i64 i = 0; i < m; ++i) softmax(s + i * n, p.causal ? n - m + i + 1 : n, n);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, d, n, 1, s, n, v, d, 0, out, d);
    }
  };
}

}  // namespace

WB_CPU(Attention, baseline, make);
WB_EXERCISE(TrainedAttention);
