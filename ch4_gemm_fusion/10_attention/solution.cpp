// The exercise, solved: a vector has a number of each of eight queries, so they go through the keys
// together, sixteen keys at a time. A key's number is multiplied with eight queries', a value's
// added to eight results, and what a query keeps is in the first-level cache. With a mask, a query
// that does not see a key gives it the score -infinity, whose exponential is 0.
#include <cmath>
#include <vector>

#include "attention.h"
#include "wb/cpu.h"

namespace {

using wb::i64;
constexpr int kQueries = 8, kKeys = 16;
using Vector [[gnu::vector_size(4 * kQueries)]] = float;

Vector exp(Vector x) {
  for (int i = 0; i < kQueries; ++i) x[i] = std::exp(x[i]);
  return x;
}

// The state of eight queries after the keys so far.
struct Queries {
  std::vector<Vector> q, sums;  // one for each number of the width
  Vector max, total;

  // Keys from `k` on, and values; the last ones may be fewer. `visible` + i of them query i sees.
  void add(const float* k, const float* v, i64 keys, i64 visible) {
    const i64 width = std::ssize(q);
    Vector weight[kKeys] = {};
    for (i64 x = 0; x < width; ++x)
#pragma GCC unroll 16
      for (int j = 0; j < kKeys; ++j) weight[j] += q[x] * k[std::min<i64>(j, keys - 1) * width + x];
    Vector most = max;
    for (int j = 0; j < kKeys; ++j) {
      for (int i = 0; i < kQueries; ++i)
        if (j >= keys || j >= visible + i) weight[j][i] = -HUGE_VALF;
      most = weight[j] > most ? weight[j] : most;
    }
    const Vector factor = exp(max - most);  // 0 at first
    max = most, total *= factor;
    for (int j = 0; j < kKeys; ++j) total += weight[j] = exp(weight[j] - most);
    for (i64 x = 0; x < width; ++x) {
      Vector sum = sums[x] * factor;
#pragma GCC unroll 16
      for (int j = 0; j < kKeys; ++j) sum += weight[j] * v[std::min<i64>(j, keys - 1) * width + x];
      sums[x] = sum;
    }
  }
};

void run(const TrainedAttention::Args& p) {
  const i64 n = p.length, d = p.width, blocks = (n + kQueries - 1) / kQueries;
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(d)));
#pragma omp parallel
  {
    Queries queries{std::vector<Vector>(d), std::vector<Vector>(d), {}, {}};
#pragma omp for schedule(dynamic)
    for (i64 turn = p.batch * p.heads * blocks - 1; turn >= 0; --turn) {
      const i64 head = turn / blocks * n * d, first = turn % blocks * kQueries;
      const i64 count = std::min<i64>(kQueries, n - first), keys = p.causal ? first + count : n;
      const float *q = static_cast<const float*>(p.q) + head + first * d,
                  *k = static_cast<const float*>(p.k) + head,
                  *v = static_cast<const float*>(p.v) + head;
      float* out = static_cast<float*>(p.out) + head + first * d;
      for (i64 x = 0; x < d; ++x) {
        for (i64 i = 0; i < kQueries; ++i)  // the last one again, where there are fewer
          queries.q[x][i] = scale * q[std::min(i, count - 1) * d + x];
        queries.sums[x] = Vector{};
      }
      queries.max = Vector{} - HUGE_VALF, queries.total = Vector{};
      for (i64 start = 0; start < keys; start += kKeys)
        queries.add(k + start * d, v + start * d, std::min<i64>(kKeys, keys - start),
                    p.causal ? first + 1 - start : kKeys);
      for (i64 i = 0; i < count; ++i) {
        for (i64 x = 0; x < d; ++x) out[i * d + x] = queries.sums[x][i] / queries.total[i];
        p.log_sum[turn / blocks * n + first + i] = queries.max[i] + std::log(queries.total[i]);
      }
    }
  }
}

auto make(const TrainedAttention::Args& p) {
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("fp32 alone");
  return [p] { run(p); };
}

}  // namespace

WB_CPU(TrainedAttention, solution, make);
