// Of the exercise: 4 x 4 sums of vectors. A step of 256 multiply-adds loads and widens 128 numbers;
// the exercise did that for 64. At the edges a tile is a smaller one, made of the same template.
#include <algorithm>

#include "tensor_cores.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

constexpr int kLanes = 16, kTile = 4;
constexpr wb::i64 kBlock = 64;

template <class T> void widen(const T* from, float (&to)[kLanes]) {
  for (int x = 0; x < kLanes; ++x) to[x] = wb::to_float(from[x]);
}

template <int height, int width, class T>
void tile(wb::i64 n, wb::i64 k, const T* a, const T* b, const float* scale, T* c) {
  float sum[height][width][kLanes] = {};
  wb::i64 l = 0;
  for (; l + kLanes <= k; l += kLanes) {
    float left[height][kLanes], right[width][kLanes];
    for (int i = 0; i < height; ++i) widen(a + i * k + l, left[i]);
    for (int j = 0; j < width; ++j) widen(b + j * k + l, right[j]);
    for (int i = 0; i < height; ++i)
      for (int j = 0; j < width; ++j)
        for (int x = 0; x < kLanes; ++x) sum[i][j][x] += left[i][x] * right[j][x];
  }
  for (int i = 0; i < height; ++i)
    for (int j = 0; j < width; ++j) {
      float total = 0;
      for (const float lane : sum[i][j]) total += lane;
      for (wb::i64 rest = l; rest < k; ++rest)
        total += wb::to_float(a[i * k + rest]) * wb::to_float(b[j * k + rest]);
      c[i * n + j] = wb::from_float<T>(scale[i] * total);
    }
}

template <class T>
void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, const float* scale, T* c) {
#pragma omp parallel for collapse(2)
  for (wb::i64 row = 0; row < m; row += kBlock)
    for (wb::i64 column = 0; column < n; column += kBlock)
      for (wb::i64 i = row; i < std::min(row + kBlock, m); i += kTile)
        for (wb::i64 j = column; j < std::min(column + kBlock, n); j += kTile) {
          if (i + kTile <= m && j + kTile <= n) {
            tile<kTile, kTile>(n, k, a + i * k, b + j * k, scale + i, c + i * n + j);
            continue;
          }
          for (wb::i64 r = i; r < std::min(i + kTile, m); ++r)
            for (wb::i64 s = j; s < std::min(j + kTile, n); ++s)
              tile<1, 1>(n, k, a + r * k, b + s * k, scale + r, c + r * n + s);
        }
}

void run(const RowScaled::Args& p) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    multiply(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b), p.scale,
             static_cast<T*>(p.c));
  });
}

}  // namespace

WB_CPU(RowScaled, solution, run);
