// Against the baseline: each core takes 64 queries at a time, from their scores to their result. At
// 4096 tokens these scores are 1 MB instead of 67, and are still in the core's cache when they are
// read again. The products are the library's, on smaller matrices. Under a causal mask, keys that
// none of the 64 queries sees are left out.
//
// Predict: where is the limit? What happens to the block of scores at 64 Ki tokens?
#include <cblas.h>
#include <omp.h>

#include <cmath>
#include <vector>

#include "attention.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kQueries = 64;

void softmax(float* row, wb::i64 keys, wb::i64 length) {
  float max = -HUGE_VALF, sum = 0;
  for (wb::i64 j = 0; j < keys; ++j) max = std::max(max, row[j]);
  for (wb::i64 j = 0; j < keys; ++j) sum += row[j] = std::exp(row[j] - max);
  for (wb::i64 j = 0; j < keys; ++j) row[j] /= sum;
  std::fill(row + keys, row + length, 0.0f);
}

void run(const Attention::Args& p) {
  const wb::i64 n = p.length, m = p.queries, d = p.width, blocks = (m + kQueries - 1) / kQueries;
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
  openblas_set_num_threads(1);
#pragma omp parallel
  {
    std::vector<float> scores(kQueries * n);
    float* const s = scores.data();
#pragma omp for schedule(dynamic)
    for (wb::i64 turn = p.batch * p.heads * blocks - 1; turn >= 0; --turn) {
      const wb::i64 head = turn / blocks, first = turn % blocks * kQueries;
      const wb::i64 queries = std::min(kQueries, m - first),
                    seen = p.causal ? n - m + first + 1 : n;
      const wb::i64 keys = p.causal ? seen + queries - 1 : n;
      const wb::i64 own = (head * m + first) * d, shared = head / (p.heads / p.kv_heads) * n * d;
      const float *q = static_cast<const float*>(p.q) + own,
                  *k = static_cast<const float*>(p.k) + shared,
                  *v = static_cast<const float*>(p.v) + shared;
      float* out = static_cast<float*>(p.out) + own;
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, queries, keys, d, scale, q, d, k, d, 0,
                  s, keys);
      for (wb::i64 i = 0; i < queries; ++i) softmax(s + i * keys, p.causal ? seen + i : keys, keys);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, queries, d, keys, 1, s, keys, v, d, 0,
                  out, d);
    }
  }
}

auto make(const Attention::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("OpenBLAS multiplies fp32");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(Attention, step1_blocked, make);
