// Changes against step 2: nothing is read only to be overwritten, and what is read twice is in a
// cache by then, also where a row has a million elements.
//
//   results      go past the caches in whole lines, where the arrays are larger than what a cache
//                keeps: an ordinary store reads the line that it changes
//   long rows    are cut into pieces, work for all cores also where there is a single row. A piece
//                takes its exponentials relative to its own maximum (online softmax); a second pass
//                takes them again, relative to the row's, before the next rows come: the shared
//                cache still has these. The pieces do not depend on the number of cores, and
//                neither does the result
//   little work  is left to one core alone
//
// Predict: which factor follows from the bytes of a row of 4096? And of a row of a million?
#include <cfloat>
#include <vector>

#include "lines.h"
#include "passes.h"

namespace {

constexpr i64 kPiece = 1 << 14;       // elements; as floats 64 KiB
constexpr i64 kTogether = 1 << 20;    // elements of rows in pieces, before their second pass
constexpr double kCache = 0x1p25;     // bytes that a last-level cache may keep for one program
constexpr i64 kWorthCores = 1 << 13;  // elements; with fewer, one core is done sooner

struct Part {
  float max, sum;
};

template <class T> void whole_rows(const Softmax::Args& p, Rows<T> r, bool past_caches) {
#pragma omp parallel if (r.rows * r.columns > kWorthCores)
  {
    alignas(64) float kept[kPiece];
#pragma omp for schedule(static) nowait
    for (i64 row = 0; row < r.rows; ++row) {
      const T* x = r.x + row * r.stride;
      const T* dy = p.backward ? r.dy + row * r.stride : nullptr;
      T* out = r.out + row * r.stride;
      if (p.backward) {
        const float sum = dot(x, dy, r.columns);
        write(out, r.columns, past_caches,
              [=](i64 i) { return widen(x[i]) * (widen(dy[i]) - sum); });
      } else {
        const float factor = 1 / exponentials(x, maximum(x, r.columns), kept, r.columns);
        write(out, r.columns, past_caches, [&](i64 i) { return kept[i] * factor; });
      }
    }
    finish_streaming();
  }
}

// The row's value from those of its pieces.
Part combined(const Part* parts, i64 pieces) {
  Part all = {-kInfinity, 0};
  for (i64 i = 0; i < pieces; ++i) all.max = std::max(all.max, parts[i].max);
  for (i64 i = 0; i < pieces; ++i)
    all.sum += parts[i].max == -kInfinity ? parts[i].sum * 0  // 0, or NaN
                                          : parts[i].sum * std::exp(parts[i].max - all.max);
  return all;
}

template <class T>
void long_rows(const Softmax::Args& p, Rows<T> r, i64 pieces, bool past_caches, Part* parts) {
  const i64 together = std::max<i64>(kTogether / r.columns, 1);  // rows
#pragma omp parallel
  for (i64 row = 0; row < r.rows; row += together) {
    alignas(64) float kept[kPiece];
    const i64 begin = row * pieces, end = std::min(row + together, r.rows) * pieces;
#pragma omp for schedule(static)
    for (i64 i = begin; i < end; ++i) {
      const i64 from = i % pieces * kPiece, at = i / pieces * r.stride + from;
      const i64 count = std::min(kPiece, r.columns - from);
      if (p.backward) {
        parts[i] = {0, dot(r.x + at, r.dy + at, count)};
      } else {
        const float max = maximum(r.x + at, count);
        parts[i] = {max, exponentials(r.x + at, std::max(max, -FLT_MAX), kept, count)};
      }
    }
    i64 combined_row = -1;
    Part all{};
#pragma omp for schedule(static) nowait
    for (i64 i = begin; i < end; ++i) {
      const i64 from = i % pieces * kPiece, at = i / pieces * r.stride + from;
      const i64 count = std::min(kPiece, r.columns - from);
      const T* x = r.x + at;
      const T* dy = p.backward ? r.dy + at : nullptr;
      if (i / pieces != combined_row) {
        combined_row = i / pieces;
        all = combined(parts + combined_row * pieces, pieces);
      }
      const float factor = 1 / all.sum;
      if (p.backward)
        write(r.out + at, count, past_caches,
              [=](i64 i) { return widen(x[i]) * (widen(dy[i]) - all.sum); });
      else
        write(r.out + at, count, past_caches,
              [=](i64 i) { return exponential(widen(x[i]) - all.max) * factor; });
    }
    finish_streaming();
  }
}

i64 pieces_of(const Softmax::Args& p) { return (p.columns + kPiece - 1) / kPiece; }

auto make(const Softmax::Args& p) {
  const i64 pieces = pieces_of(p);
  const bool past_caches = Softmax::cost(p).bytes() > kCache;
  return [=, parts = std::vector<Part>(pieces > 1 ? p.rows * pieces : 0)]() mutable {
    with_rows(p, [&](auto r) {
      if (pieces > 1)
        long_rows(p, r, pieces, past_caches, parts.data());
      else
        whole_rows(p, r, past_caches);
    });
  };
}

std::string note(const Softmax::Args& p) {
  if (pieces_of(p) < 2) return "a core per row, which stays in its cache";
  return std::to_string(pieces_of(p)) + " pieces per row, shared by all cores; two passes";
}

}  // namespace

WB_CPU(Softmax, optimized, make);
WB_CASE_NOTE(Softmax, note);
