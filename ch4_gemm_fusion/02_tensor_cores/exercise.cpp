// Dot products of vectors of sums, and a factor for each row of C (RowScaled): right, and slow, as
// each step of 16 multiply-adds loads 32 numbers and widens them all. The conversion takes more
// instructions than the arithmetic.
//
// TODO 1: count: loads, conversions and multiply-adds per step. Which of them can a tile save?
// TODO 2: make 4 x 4 sums of vectors at a time, so that a number that was widened once is used four
//         times. What if m or n is no multiple of 4?
// Goal: at most 3 times as long as step1_widened at m=1024,n=1024,k=1024,dtype=bf16
// Hints are in README.md.
#include <algorithm>

#include "tensor_cores.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr int kLanes = 16;
constexpr wb::i64 kBlock = 64;

template <class T> float dot(wb::i64 k, const T* a, const T* b) {
  float sum[kLanes] = {}, total = 0;
  wb::i64 l = 0;
  for (; l + kLanes <= k; l += kLanes)
    for (int x = 0; x < kLanes; ++x) sum[x] += wb::to_float(a[l + x]) * wb::to_float(b[l + x]);
  for (; l < k; ++l) sum[0] += wb::to_float(a[l]) * wb::to_float(b[l]);
  for (const float lane : sum) total += lane;
  return total;
}

template <class T>
void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, const float* scale, T* c) {
#pragma omp parallel for collapse(2)
  for (wb::i64 row = 0; row < m; row += kBlock)
    for (wb::i64 column = 0; column < n; column += kBlock)
      for (wb::i64 i = row; i < std::min(row + kBlock, m); ++i)
        for (wb::i64 j = column; j < std::min(column + kBlock, n); ++j)
          c[i * n + j] = wb::from_float<T>(scale[i] * dot(k, a + i * k, b + j * k));
}

void run(const RowScaled::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    multiply(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b), p.scale,
             static_cast<T*>(p.c));
  });
}

}  // namespace

WB_CPU(RowScaled, exercise, run);
