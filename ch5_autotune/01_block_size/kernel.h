// The three operations on a CPU. A choice is a struct of numbers, which a function takes as a
// template parameter. The number of threads, and of pieces for each, is an argument of the call.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>

#include "work.h"

namespace {

// f(first, last) for pieces of 0 to count - 1.
template <class F> void in_pieces(Team team, i64 count, F f) {
  const int pieces = team.threads * team.shares;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team.threads) if (team.threads > 1)
  for (int piece = 0; piece < pieces; ++piece) {
    f(count * piece / pieces, count * (piece + 1) / pieces);
#if defined(__x86_64__)
    _mm_sfence();  // stores that bypassed the caches are done before other threads go on
#endif
  }
}

constexpr int kLine = 16;  // floats in a cache line

// kPast: whole lines bypass the caches, so a store does not first read the line that it changes.
template <bool kPast> void store(float* y, const float* x, i64 count) {
  i64 i = 0;
#if defined(__x86_64__)
  if (kPast)
    for (; i + kLine <= count; i += kLine)
      for (int j = 0; j < kLine; j += 4) _mm_stream_ps(y + i + j, _mm_loadu_ps(x + i + j));
#endif
  std::copy(x + i, x + count, y + i);
}

struct Add {
  int lines;  // cache lines per step
  bool past;  // see store
};

template <Add c> void compute(const Work& w, Team team) {
  constexpr int kStep = kLine * c.lines;
  const i64 steps = w.columns / kStep;
  in_pieces(team, steps, [&](i64 first, i64 last) {
    for (i64 i = first * kStep; i < last * kStep; i += kStep) {
      alignas(64) float sum[kStep];
      for (int j = 0; j < kStep; ++j) sum[j] = w.a[i + j] + w.b[i + j];
      store<c.past>(w.y + i, sum, kStep);
    }
  });
  for (i64 i = steps * kStep; i < w.columns; ++i) w.y[i] = w.a[i] + w.b[i];
}

struct Rows {
  int lanes;  // sums per row, for neighbouring elements
  int rows;   // at a time, so that additions of one need not wait for those of another
};

template <int kLanes, int kRows> void sum_rows(i64 columns, const float* a, float* y) {
  float sum[kRows][kLanes] = {};
  i64 i = 0;
  for (; i + kLanes <= columns; i += kLanes)
    for (int r = 0; r < kRows; ++r)
      for (int lane = 0; lane < kLanes; ++lane) sum[r][lane] += a[r * columns + i + lane];
  for (int r = 0; r < kRows; ++r) {
    float all = 0;
    for (const float s : sum[r]) all += s;
    for (i64 j = i; j < columns; ++j) all += a[r * columns + j];
    y[r] = all;
  }
}

template <Rows c> void compute(const Work& w, Team team) {
  in_pieces(team, w.rows, [&](i64 row, i64 last) {
    for (; row + c.rows <= last; row += c.rows)
      sum_rows<c.lanes, c.rows>(w.columns, w.a + row * w.columns, w.y + row);
    for (; row < last; ++row) sum_rows<c.lanes, 1>(w.columns, w.a + row * w.columns, w.y + row);
  });
}

struct Columns {
  int strip;  // columns whose sums stay in registers or the cache
  int depth;  // rows per step
  bool past;
};

template <Columns c> void compute(const Work& w, Team team) {
  in_pieces(team, (w.columns + c.strip - 1) / c.strip, [&](i64 strip, i64 last) {
    for (; strip < last; ++strip) {
      const i64 first = strip * c.strip, width = std::min<i64>(c.strip, w.columns - first);
      alignas(64) float sum[c.strip] = {};
      const float* x = w.a + first;
      i64 row = 0;
      for (; width == c.strip && row + c.depth <= w.rows; row += c.depth, x += c.depth * w.columns)
        for (int j = 0; j < c.strip; ++j)
          for (int r = 0; r < c.depth; ++r) sum[j] += x[r * w.columns + j];
      for (; row < w.rows; ++row, x += w.columns)
        for (i64 j = 0; j < width; ++j) sum[j] += x[j];
      store<c.past>(w.y + first, sum, width);
    }
  });
}

}  // namespace
