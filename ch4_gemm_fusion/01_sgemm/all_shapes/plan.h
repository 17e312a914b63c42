// Which tile, and how many parts of k? A pure function of the shape and of the number of
// multiprocessors, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "wb/axes.h"

namespace sgemm {

// What plan() knows of a tile (tile.cuh has the kernels). Times are in cycles, fitted to
// measurements on an H100 (NOTES.md).
struct Tile {
  int rows, columns, depth, threads;
  int resident;  // blocks per multiprocessor at a time
  double step;   // per step along k and block, on a multiprocessor that is full of blocks
  double alone;  // the same of a block that has a multiprocessor to itself
};

constexpr Tile kTiles[] = {{128, 128, 8, 128, 2, 150, 250}, {128, 128, 8, 256, 2, 150, 200},
                           {128, 64, 8, 128, 4, 78, 120},   {64, 64, 8, 64, 8, 40, 90},
                           {32, 128, 8, 64, 8, 42, 90},     {128, 32, 8, 64, 8, 42, 110},
                           {16, 128, 8, 32, 12, 22, 80},    {128, 16, 8, 32, 12, 24, 90},
                           {8, 128, 4, 256, 4, 10, 30},     {64, 8, 32, 256, 4, 5, 15}};

struct Plan {
  int tile = 0;                            // of kTiles
  wb::i64 down = 0, across = 0, part = 0;  // tiles; steps along k per part
  int parts = 1;
  double cycles = 0;  // that it is expected to take

  wb::i64 tiles() const { return down * across; }
  std::string text() const {
    const Tile& t = kTiles[tile];
    std::string text = std::to_string(tiles()) + " tiles of " + std::to_string(t.rows) + " x " +
                       std::to_string(t.columns);
    if (parts > 1) text += ", k in " + std::to_string(parts) + " parts";
    return text;
  }
};

constexpr double kBytesPerCycle = 13;      // of memory, per multiprocessor
constexpr double kPartBytesPerCycle = 25;  // of parts that are written and read again, in L2
constexpr double kSecondLaunch = 4000;     // cycles
constexpr wb::i64 kMostPartFloats = 1 << 25;

inline wb::i64 up(wb::i64 n, wb::i64 unit) { return (n + unit - 1) / unit; }

inline double expected(const Tile& t, wb::i64 m, wb::i64 n, wb::i64 k, wb::i64 blocks, int parts,
                       wb::i64 part, int multiprocessors) {
  const double all = multiprocessors;
  const wb::i64 own = up(blocks, multiprocessors);  // blocks of the busiest multiprocessor
  const auto round = [&](wb::i64 resident) {
    return static_cast<double>(part) * std::max(t.alone, static_cast<double>(resident) * t.step) +
           2000;
  };
  double cycles = static_cast<double>(own / t.resident) * round(t.resident);
  if (own % t.resident) cycles += round(own % t.resident);
  const double dm = static_cast<double>(m), dn = static_cast<double>(n),
               dk = static_cast<double>(k);
  cycles = std::max(cycles, 4 * (dm * dk + dk * dn + dm * dn) / (kBytesPerCycle * all));
  if (parts > 1) cycles += kSecondLaunch + 8.0 * parts * dm * dn / (kPartBytesPerCycle * all);
  return cycles;
}

inline Plan plan(wb::i64 m, wb::i64 n, wb::i64 k, int multiprocessors) {
  Plan best;
  for (int i = 0; i < static_cast<int>(std::size(kTiles)); ++i) {
    const Tile& t = kTiles[i];
    const wb::i64 down = up(m, t.rows), across = up(n, t.columns), slices = up(k, t.depth);
    for (wb::i64 wanted = 1; wanted <= 512; wanted += std::max<wb::i64>(1, wanted / 8)) {
      if (wanted > 1 && (slices < 4 * wanted || wanted * m * n > kMostPartFloats)) break;
      const wb::i64 each = std::max<wb::i64>(up(slices, wanted), 1),
                    parts = std::max<wb::i64>(up(slices, each), 1);
      if (parts != wanted) continue;
      const double cycles = expected(t, m, n, k, down * across * parts, static_cast<int>(parts),
                                     each * t.depth, multiprocessors);
      if (best.cycles == 0 || cycles < best.cycles)
        best = {i, down, across, each * t.depth, static_cast<int>(parts), cycles};
    }
  }
  return best;
}

}  // namespace sgemm
