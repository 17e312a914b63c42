// Changes against step 1: cache blocks. All rows of A pass over a piece of B of 128 x 256 values,
// 128 KiB, before the next piece is read, so B comes from the L2 cache and not from memory. (No
// step changes the order in which a value of C is summed: k from 0 upwards.)
//
// Predict: at 1024 in all three B has 4 MiB. From where did step 1 read it, and is that slower than
// its loop? What of the loop itself is unchanged?
#include <algorithm>

#include "sgemm.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kDepth = 128, kColumns = 256;

void run(const Sgemm::Args& p) {
  std::fill(p.c, p.c + p.m * p.n, 0.0f);
  for (wb::i64 start = 0; start < p.k; start += kDepth)
    for (wb::i64 first = 0; first < p.n; first += kColumns) {
      const wb::i64 end = std::min(start + kDepth, p.k), last = std::min(first + kColumns, p.n);
      for (wb::i64 i = 0; i < p.m; ++i) {
        float* to = p.c + i * p.n;
        for (wb::i64 l = start; l < end; ++l)
          for (wb::i64 j = first; j < last; ++j) to[j] += p.a[i * p.k + l] * p.b[l * p.n + j];
      }
    }
}

}  // namespace

WB_CPU(Sgemm, step2_blocked, run);
