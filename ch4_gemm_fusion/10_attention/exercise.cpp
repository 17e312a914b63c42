// Attention for training: each query's log(sum of exp(score)) is asked for, too (TrainedAttention).
// One query at a time: its scores, all of them; their maximum; their exponentials and sum; the
// weighted mean of the values. Keys and values are read once for each query, and the scores of a
// query are in memory in between.
//
// TODO: take eight queries through the keys together, sixteen keys at a time. Each query keeps its
//       maximum, its sum and its result so far; when a block has a larger maximum, sum and result
//       are scaled down to it first (an *online* softmax). Then no row of scores is kept, and a key
//       serves eight queries.
// Goal: at most 3 times as long as step2_online at batch=1,heads=2,length=4096,width=128,mask=full,dtype=fp32
// Hints are in README.md.
#include <cmath>
#include <vector>

#include "attention.h"
#include "wb/cpu.h"

namespace {

using wb::i64;

float dot(const float* a, const float* b, i64 width) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (i64 x = 0; x < width; ++x) sum += a[x] * b[x];
  return sum;
}

// Gives log(sum of exp(score)).
float attend(const float* q, const float* k, const float* v, float* out, i64 keys, i64 width,
             float* scores) {
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width)));
  float max = -HUGE_VALF, sum = 0;
  for (i64 j = 0; j < keys; ++j)
    max = std::max(max, scores[j] = scale * dot(q, k + j * width, width));
  for (i64 j = 0; j < keys; ++j) sum += scores[j] = std::exp(scores[j] - max);
  std::fill(out, out + width, 0.0f);
  for (i64 j = 0; j < keys; ++j)
#pragma omp simd
    for (i64 x = 0; x < width; ++x) out[x] += scores[j] / sum * v[j * width + x];
  return max + std::log(sum);
}

void run(const TrainedAttention::Args& p) {
  const i64 n = p.length, d = p.width;
#pragma omp parallel
  {
    std::vector<float> scores(n);
#pragma omp for schedule(dynamic, 16)
    for (i64 row = 0; row < p.batch * p.heads * n; ++row) {
      const i64 head = row / n * n * d, query = row % n;
      p.log_sum[row] =
          attend(static_cast<const float*>(p.q) + row * d, static_cast<const float*>(p.k) + head,
                 static_cast<const float*>(p.v) + head, static_cast<float*>(p.out) + row * d,
                 p.causal ? query + 1 : n, d, scores.data());
    }
  }
}

auto make(const TrainedAttention::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("fp32 alone");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(TrainedAttention, exercise, make);
