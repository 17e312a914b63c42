// The three operations on a CPU. A choice is a type of numbers, which a function takes as a
// template parameter; how many threads there are, and how many pieces for each, a call may say.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

using i64 = std::int64_t;

// The arrays begin at multiples of 64 bytes.
struct Work {
  i64 rows, columns;  // of a and b; add has one row
  const float* a;
  const float* b;
  float* y;
};

struct Team {
  int threads;
  int shares;  // pieces for each thread; with more than one, who is done takes the next
};

// f(first, last) for pieces of 0 to count - 1.
template <class F> void in_pieces(Team team, i64 count, F f) {
  const int pieces = team.threads * team.shares;
#pragma omp parallel for schedule(dynamic, 1) num_threads(team.threads) if (team.threads > 1)
  for (int piece = 0; piece < pieces; ++piece) {
    f(count * piece / pieces, count * (piece + 1) / pieces);
#if defined(__x86_64__)
    _mm_sfence();  // what went past the caches is there when the others go on
#endif
  }
}

constexpr int kLine = 16;  // floats in a cache line

// kPast: past the caches, where a store does not first read the line that it changes.
template <bool kPast> void store_line(float* y, const float* line) {
#if defined(__AVX512F__)
  if (kPast) return _mm512_stream_ps(y, _mm512_loadu_ps(line));
#elif defined(__AVX__)
  if (kPast) {
    _mm256_stream_ps(y, _mm256_loadu_ps(line));
    return _mm256_stream_ps(y + 8, _mm256_loadu_ps(line + 8));
  }
#endif
  std::memcpy(y, line, kLine * sizeof(float));
}

struct Add {
  int lines;  // cache lines per step
  bool past;  // see store_line
};

template <Add c> void compute(const Work& w, Team team) {
  constexpr int kStep = kLine * c.lines;
  const i64 steps = w.columns / kStep;
  in_pieces(team, steps, [&](i64 first, i64 last) {
    for (i64 i = first * kStep; i < last * kStep; i += kStep) {
      float sum[kStep];
      for (int j = 0; j < kStep; ++j) sum[j] = w.a[i + j] + w.b[i + j];
      for (int j = 0; j < kStep; j += kLine) store_line<c.past>(w.y + i + j, sum + j);
    }
  });
  for (i64 i = steps * kStep; i < w.columns; ++i) w.y[i] = w.a[i] + w.b[i];
}

struct Rows {
  int lanes;  // sums per row, for elements side by side
  int rows;   // in turn, so that one's additions need not wait for the other's
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
      const i64 first = strip * c.strip;
      const int width = static_cast<int>(std::min<i64>(c.strip, w.columns - first));
      alignas(64) float sum[c.strip] = {};
      const float* x = w.a + first;
      const auto add_rows = [&](auto width, auto depth) {
        for (int j = 0; j < width; ++j)
          for (int r = 0; r < depth; ++r) sum[j] += x[r * w.columns + j];
        x += depth * w.columns;
      };
      i64 row = 0;
      if (width == c.strip)
        for (; row + c.depth <= w.rows; row += c.depth) add_rows(c.strip, c.depth);
      for (; row < w.rows; ++row) add_rows(width, 1);
      int j = 0;  // whole lines of y begin at multiples of 64 bytes
      for (; j + kLine <= width; j += kLine) store_line<c.past>(w.y + first + j, sum + j);
      std::copy(sum + j, sum + width, w.y + first + j);
    }
  });
}

}  // namespace
