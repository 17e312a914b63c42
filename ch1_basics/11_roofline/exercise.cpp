// Many rows of 16 numbers, each times the same 16 x 16 matrix, as when points or colours are
// transformed. (Only the cases with n = k = 16; others are skipped.) On a GPU memory bounds it. On
// a CPU both roofs are close, and which is lower depends on the machine. The three loops of the
// definition are right, and slow: a number at a time, and every multiply-add waits for the one
// before it.
//
// TODO 1: before you change anything, place it: FLOPs, bytes, AI. Which roof is above it?
// TODO 2: make the 16 numbers of a row of C together: that is one vector.
// Goal: 10 times baseline at op=matmul,m=262144,n=16,k=16
// Hints are in README.md.
#include "roofline.h"
#include "wb/cpu.h"

namespace {

constexpr int kWidth = 16;  // columns of A and C, rows and columns of B

void multiply(wb::i64 m, const float* a, const float* b, float* c) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < m; ++i)
    for (int j = 0; j < kWidth; ++j) {
      float sum = 0;
      for (int l = 0; l < kWidth; ++l) sum += a[i * kWidth + l] * b[l * kWidth + j];
      c[i * kWidth + j] = sum;
    }
}

auto make(const Roofline::Args& p) {
  if (p.op != Op::matmul || p.n != kWidth || p.k != kWidth)
    throw wb::Unsupported("the exercise is the product with n = k = 16");
  return [p] { multiply(p.m, p.a, p.b, p.c); };
}

}  // namespace

WB_CPU(Roofline, exercise, make);
