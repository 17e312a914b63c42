// Many rows of 16 numbers, each times the same 16 x 16 matrix, as when points or colours are
// transformed. (Only the cases with n = k = 16; others are skipped.) On a GPU memory bounds it. On
// a CPU both roofs are close, and which is lower depends on the machine. The three loops of the
// definition are right, and slow: a number at a time, and every multiply-add waits for the one
// before it. (The compiler does not know that all rows are 16 long. You do.)
//
// TODO 1: before you change anything, place it: FLOPs, bytes, AI. Which roof is above it?
// TODO 2: make the 16 numbers of a row of C together: that is one vector.
// Goal: 5 times baseline at op=matmul,m=262144,n=16,k=16
// Hints are in README.md.
#include "roofline.h"
#include "wb/cpu.h"

namespace {

constexpr int kWidth = 16;  // columns of A and C, rows and columns of B

void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const float* a, const float* b, float* c) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < m; ++i)
    for (wb::i64 j = 0; j < n; ++j) {
      float sum = 0;
      for (wb::i64 l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
}

auto make(const Roofline::Args& p) {
  if (p.op != Op::matmul || p.n != kWidth || p.k != kWidth)
    throw wb::Unsupported("the exercise is the product with n = k = 16");
  return [p] { multiply(p.m, p.n, p.k, p.a, p.b, p.c); };
}

}  // namespace

WB_CPU(Roofline, exercise, make);
