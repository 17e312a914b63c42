// Stands in front of each trick of this folder, behind the lesson's header and `Problem`.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "wb/cpu.h"

using Args = Problem::Args;

// How many products there are.
template <class A> wb::i64 batch_of(const A& p) {
  if constexpr (requires { p.batch; })
    return p.batch;
  else
    return 1;
}

// C = A B, slowly and right: `rows` x n.
inline void multiply(const float* a, const float* b, float* c, wb::i64 rows, wb::i64 n, wb::i64 k) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < rows; ++i) {
    std::fill(c + i * n, c + (i + 1) * n, 0.0f);
    for (wb::i64 l = 0; l < k; ++l)
      for (wb::i64 j = 0; j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
  }
}
inline void multiply_all(const Args& p) {
  for (wb::i64 i = 0; i < batch_of(p); ++i)
    multiply(p.a + i * p.m * p.k, p.b + i * p.k * p.n, p.c + i * p.m * p.n, p.m, p.n, p.k);
}
