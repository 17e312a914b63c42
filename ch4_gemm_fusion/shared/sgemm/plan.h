// Which kernel, which tile, and how many parts of k? A pure function of the shape and of the number
// of multiprocessors, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "wb/axes.h"

namespace sgemm {

using wb::i64;

// The tile of a block and, in nanoseconds, its times: fitted to times on an H100
// (common/results/h100_sgemm_shapes.csv). On another GPU all are longer or shorter; the plan needs
// only their ratios.
struct Tile {
  int rows, columns, depth, warps;
  int resident;       // blocks that an H100's multiprocessor holds at a time
  double step;        // of each block, per step along k, on a multiprocessor that is full
  double alone;       // of a block that has a multiprocessor to itself, in addition
  double fixed;       // of a round of blocks: the first loads, the last stores
  double narrow;      // factor where copies of B are of 4 bytes, as its rows begin anywhere
  double transposed;  // factor where B is stored n x k (h100_sgemm_transposed.csv)
};
constexpr Tile kTiles[] = {
    {128, 128, 8, 4, 2, 82, 41, 2300, 1.11, 1.29}, {64, 128, 8, 2, 4, 39, 34, 2800, 1.24, 1.30},
    {128, 64, 8, 4, 4, 41, 36, 400, 1.17, 1.11},   {64, 64, 8, 2, 8, 20.3, 28, 600, 1.18, 1.34},
    {32, 128, 8, 2, 8, 21.1, 27, 450, 1.10, 1.35}, {128, 32, 8, 2, 8, 22.8, 32, 1100, 1.12, 1.14},
    {16, 128, 8, 1, 11, 10.2, 28, 300, 1.39, 2.08}};
constexpr int kSquares = static_cast<int>(std::size(kTiles));
// The kernels for thin matrices (thin.cuh) come after these.
constexpr int kFewRows = kSquares, kFewColumns = kSquares + 1;
constexpr i64 kMostRows = 8, kMostColumns = 16;  // for which they are the fastest

constexpr double kBytes = 18.6, kPartBytes = 24;  // per ns and multiprocessor: memory; parts, in L2
constexpr double kSecondLaunch = 2300;            // ns
constexpr i64 kMostPartFloats = 1 << 25;
constexpr i64 kShort = 40;  // with a smaller k what counts is that stores are of whole lines

struct Plan {
  int tile = 0;  // of kTiles, or a thin one
  int rows = 0, columns = 0;
  i64 down = 0, across = 0, part = 0;  // tiles; steps along k per part
  int parts = 1;
  bool swapped = false;  // the kernel makes C^T = B^T A^T, and stores it as C

  i64 tiles() const { return down * across; }
  std::string text() const {
    std::string text = std::to_string(tiles()) + (tiles() == 1 ? " tile" : " tiles") + " of " +
                       std::to_string(rows) + " x " + std::to_string(columns);
    if (tile >= kSquares) text += " for a thin matrix";
    if (parts > 1) text += ", k in " + std::to_string(parts) + " parts";
    return text;
  }
};

inline i64 up(i64 n, i64 unit) { return (n + unit - 1) / unit; }

// In `wanted` parts, or a few fewer of whole slices.
inline Plan cut(int tile, int rows, int columns, int depth, i64 m, i64 n, i64 k, i64 wanted) {
  const i64 slices = std::max<i64>(up(k, depth), 1), each = up(slices, std::max<i64>(wanted, 1));
  const auto parts = static_cast<int>(up(slices, each));
  return {tile, rows, columns, up(m, rows), up(n, columns), each * depth, parts};
}

// A part has at least four slices, or it is not worth a block.
inline i64 most_parts(i64 m, i64 n, i64 k, int depth) {
  return std::max<i64>(1, std::min(up(k, depth) / 4, kMostPartFloats / std::max<i64>(m * n, 1)));
}

// How long it takes, by a model. Each multiprocessor works off its blocks in rounds of as many as
// it holds. Their warps share four schedulers, and all wait for the one that has most. Memory is
// the other limit.
inline double nanoseconds(const Plan& p, i64 m, i64 n, i64 k, int multiprocessors,
                          bool transposed = false) {
  constexpr i64 kSchedulers = 4;
  const Tile& t = kTiles[p.tile];
  const i64 own = up(p.tiles() * p.parts, multiprocessors);
  const auto round = [&](i64 blocks) {
    const double warps = static_cast<double>(up(blocks * t.warps, kSchedulers) * kSchedulers);
    const double step = std::hypot(t.alone, warps / t.warps * t.step) * (transposed ? t.transposed
                                                                         : n % 4    ? t.narrow
                                                                                    : 1);
    return blocks > 0 ? static_cast<double>(p.part) * step + t.fixed : 0;
  };
  const double computing =
      static_cast<double>(own / t.resident) * round(t.resident) + round(own % t.resident);
  const double all = multiprocessors, sums = static_cast<double>(m * n);
  const double memory = 4 * (static_cast<double>((m + n) * k) + sums) / (kBytes * all);
  const double adding = p.parts > 1 ? kSecondLaunch + 8.0 * p.parts * sums / (kPartBytes * all) : 0;
  return std::max(computing, memory) + 0.2 * std::min(computing, memory) + adding;
}

// `transposed`: B is stored n x k, as a layer keeps its weights. A thin kernel for few rows would
// read it column by column; but its rows are read as those of A in a C of few columns.
inline Plan plan(i64 m, i64 n, i64 k, int multiprocessors, bool transposed = false) {
  if (transposed && m < n && m <= kMostColumns) {
    Plan other = plan(n, m, k, multiprocessors, true);
    other.swapped = true;
    return other;
  }
  // Thin: as many blocks as are on the multiprocessors at a time.
  const auto thin = [&](int tile, int rows, int columns, int depth, int resident) {
    const i64 wanted =
        i64{resident} * multiprocessors / std::max<i64>(1, up(m, rows) * up(n, columns));
    return cut(tile, rows, columns, depth, m, n, k, std::min(wanted, most_parts(m, n, k, depth)));
  };
  if (n <= kMostColumns) return thin(kFewColumns, 64, 8, 32, n <= 4 ? 3 : 2);
  if (m <= kMostRows) return thin(kFewRows, 8, 128, 4, 2);
  Plan best;
  double least = HUGE_VAL;
  for (int i = 0; i < kSquares; ++i) {
    const Tile& t = kTiles[i];
    if (k < kShort && i < kSquares - 1) continue;
    for (i64 wanted = 1; wanted <= most_parts(m, n, k, t.depth); wanted += 1 + wanted / 16) {
      const Plan next = cut(i, t.rows, t.columns, t.depth, m, n, k, wanted);
      const double expected = nanoseconds(next, m, n, k, multiprocessors, transposed);
      if (expected < least) least = expected, best = next;
    }
  }
  return best;
}

}  // namespace sgemm
