// The exercise, solved: a row of C is a sum of 16 rows of B, each times one number of A. A row is a
// vector of 16 floats, and the 16 rows of B stay in registers (or in L1, where registers are
// short). The result goes past the caches.
#include "roofline.h"
#include "tuned/vector.h"
#include "wb/cpu.h"

namespace {

constexpr int kWidth = 16;  // columns of A and C, rows and columns of B
using Row [[gnu::vector_size(4 * kWidth)]] = float;

void multiply(wb::i64 m, const float* a, const float* b, float* c) {
#pragma omp parallel
  {
    Row right[kWidth];
    std::memcpy(right, b, sizeof right);
#pragma omp for schedule(static) nowait
    for (wb::i64 i = 0; i < m; ++i) {
      Row sum = {};
#pragma GCC unroll 16
      for (int l = 0; l < kWidth; ++l) sum += a[i * kWidth + l] * right[l];
      for (int part = 0; part < kWidth; part += kLanes)
        stream(c + i * kWidth + part, load(reinterpret_cast<const float*>(&sum) + part));
    }
    finish_streaming();
  }
}

auto make(const Roofline::Args& p) {
  if (p.op != Op::matmul || p.n != kWidth || p.k != kWidth)
    throw wb::Unsupported("the exercise is the product with n = k = 16");
  return [p] { multiply(p.m, p.a, p.b, p.c); };
}

}  // namespace

WB_CPU(Roofline, solution, make);
