// C = leaky_relu(A B^T) in fp32 on a CPU: chapter 4's kernel with its constants as parameters. Five
// loops around a micro-kernel (Goto and van de Geijn 2008): columns of C in blocks of NC, k in
// blocks of KC, whose sums wait in C for the next one, rows in blocks of MC, and in these the tiles
// of MR rows and NR vectors that stay in registers. The blocks that a loop reads again and again
// are packed: KC x NC of B for all cores, MC x KC of A for each.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "product.h"

namespace tiles {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;
struct alignas(64) Line {  // of a cache
  float values[16];
};
inline i64 round_up(i64 x, i64 to) { return (x + to - 1) / to * to; }

// `count` rows of a matrix (at most `width`, the rest as zeros) become `depth` groups of `width`.
template <int width> void pack(const float* rows, i64 pitch, i64 count, i64 depth, float* to) {
  constexpr i64 kStep = 16;  // a cache line of each row at a time
  for (i64 first = 0; first < depth; first += kStep)
    for (int r = 0; r < width; ++r)
      for (i64 l = first; l < std::min(first + kStep, depth); ++l)
        to[l * width + r] = r < count ? rows[r * pitch + l] : 0;
}

// A tile of C: `rows` x `columns` of it exist. `first`, `last`: this is the first, last block of k.
template <int mr, int nr>
void tile(i64 depth, const float* a, const float* b, float* c, i64 pitch, i64 rows, i64 columns,
          bool first, bool last) {
  Vector sum[mr][nr] = {};
  for (i64 l = 0; l < depth; ++l, a += mr, b += nr * kLanes) {
    Vector right[nr];
#pragma GCC unroll 4
    for (int v = 0; v < nr; ++v) std::memcpy(&right[v], b + v * kLanes, sizeof right[v]);
#pragma GCC unroll 16
    for (int r = 0; r < mr; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < nr; ++v) sum[r][v] += a[r] * right[v];
  }
  alignas(64) float out[mr][nr * kLanes];  // any index goes here; `sum` is registers
#pragma GCC unroll 16
  for (int r = 0; r < mr; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < nr; ++v) std::memcpy(&out[r][v * kLanes], &sum[r][v], sizeof sum[r][v]);
  for (i64 r = 0; r < std::min<i64>(rows, mr); ++r)
    for (i64 x = 0; x < columns; ++x) {
      float& to = c[r * pitch + x];
      const float y = first ? out[r][x] : to + out[r][x];
      to = last && y < 0 ? 0.01f * y : y;
    }
}

template <int mr, int nr>
void multiply(const Product& p, i64 mc, i64 kc, i64 nc, float* packed_b, float* packed_a) {
  constexpr i64 kColumns = nr * kLanes;
#pragma omp parallel
  for (i64 left = 0; left < p.n; left += nc)
    for (i64 start = 0; start < std::max<i64>(p.k, 1); start += kc) {  // once where k is 0
      const i64 width = std::min(nc, p.n - left), depth = std::min(kc, p.k - start);
      const bool first = start == 0, last = start + depth >= p.k;
#pragma omp for
      for (i64 j = 0; j < width; j += kColumns)
        pack<kColumns>(p.b + (left + j) * p.k + start, p.k, width - j, depth, packed_b + j * depth);
      float* const own = packed_a + omp_get_thread_num() * mc * kc;
#pragma omp for schedule(dynamic)
      for (i64 top = 0; top < p.m; top += mc) {
        const i64 height = std::min(mc, p.m - top);
        for (i64 i = 0; i < height; i += mr)
          pack<mr>(p.a + (top + i) * p.k + start, p.k, height - i, depth, own + i * depth);
        for (i64 j = 0; j < width; j += kColumns)
          for (i64 i = 0; i < height; i += mr)
            tile<mr, nr>(depth, own + i * depth, packed_b + j * depth,
                         p.c + (top + i) * p.n + left + j, p.n, height - i,
                         std::min(kColumns, width - j), first, last);
      }
    }
}

// Set-up: it returns the function that runs. A block has whole tiles, no more than the matrix.
template <int mr, int nr>
std::function<void()> gemm(const Product& p, int most_rows, int most_depth, int most_columns) {
  if (p.m * p.n == 0) return [] {};
  const i64 mc = round_up(std::min<i64>(most_rows, p.m), mr);
  const i64 kc = std::max<i64>(1, std::min<i64>(most_depth, p.k));
  const i64 nc = round_up(std::min<i64>(most_columns, p.n), nr * kLanes);
  std::vector<Line> b(nc * kc / 16 + 1), a(omp_get_max_threads() * mc * kc / 16 + 1);
  return [=]() mutable {
    multiply<mr, nr>(p, mc, kc, nc, reinterpret_cast<float*>(b.data()),
                     reinterpret_cast<float*>(a.data()));
  };
}

}  // namespace tiles
