// Who sums a column: how wide a tile is, how many blocks share its rows, and how many rows are read
// as one. A pure function of the shape, so that it can be printed, tested, and used elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "wb/axes.h"

// How x lies in memory.
struct Placement {
  int element_bytes;
  wb::i64 stride;          // elements from one row's begin to the next one's
  std::uintptr_t address;  // of the first row
};

// The matrix as blocks read it, `fold` rows of x as one, in tiles of columns and pieces of rows. A
// block takes one tile in one piece. Or threads walk down columns of their own: there are no tiles.
struct Plan {
  bool walk;
  wb::i64 fold;
  wb::i64 rows, columns, stride;  // of that matrix
  int lanes;                      // neighbours that read a row of a tile, a load each
  int tile;                       // columns per block
  wb::i64 tiles;
  wb::i64 piece;  // rows per block
  wb::i64 pieces;
  const char* why;

  std::string text() const {
    std::string who = std::to_string(tile) + " columns per " + (walk ? "thread" : "block");
    if (fold > 1) who = std::to_string(fold) + " rows read as one of " + std::to_string(columns);
    if (pieces > 1)
      who += ", " + std::to_string(pieces) + " pieces of " + std::to_string(piece) + " rows";
    return who + ": " + why;
  }
};

// What to turn for another GPU.
constexpr int kWarp = 32;
constexpr int kLoadBytes = 16;
constexpr int kThreads = 256;   // per block
constexpr int kLoads = 8;       // per thread, in flight before the first is used
constexpr int kResident = 3;    // blocks that a multiprocessor holds: one wave
constexpr int kLeastLanes = 8;  // 128 bytes of a row
constexpr int kTogether = 64;   // pieces whose values one block combines
constexpr int kFewRows = 8;     // with fewer, a block would have idle warps

inline wb::i64 divide_up(wb::i64 a, wb::i64 b) { return (a + b - 1) / b; }

// Whether each row begins at a multiple of 16 bytes.
inline bool even(const Plan& p, const Placement& x) {
  return x.address % kLoadBytes == 0 && p.stride * x.element_bytes % kLoadBytes == 0;
}
// Columns that `lanes` loads of 16 bytes cover, wherever a row begins.
inline int covered(const Plan& p, const Placement& x, int lanes) {
  return (even(p, x) ? lanes : lanes - 1) * (kLoadBytes / x.element_bytes);
}

inline Plan plan_columns(wb::i64 rows, wb::i64 columns, const Placement& x, int multiprocessors) {
  const int width = kLoadBytes / x.element_bytes, wave = kResident * multiprocessors;
  Plan p{
      false, 1, rows, columns, x.stride, kWarp, width, 0, rows, 1, "enough columns for all blocks"};
  if (columns == 0) return p;
  if (x.stride == columns)  // rows that lie one behind the other, as many as a warp's loads cover
    for (int lanes = kWarp; lanes >= kWarp - 1; --lanes) {
      p.fold = std::max<wb::i64>(lanes * width / columns, 1);
      p.rows = divide_up(rows, p.fold), p.columns = p.stride = p.fold * columns;
      if (p.fold == 1 || p.columns <= covered(p, x, kWarp)) break;
    }
  if (p.fold == 1 && rows < kFewRows) {
    p.walk = true, p.why = "fewer rows than a block has warps";
    p.tile = even(p, x) && columns % width == 0 ? width : 1;
    p.tiles = divide_up(columns, p.tile);
    return p;
  }
  const auto tiles = [&] { return divide_up(p.columns, covered(p, x, p.lanes)); };
  // Where few rows have few columns: narrower tiles, which nobody has to combine.
  const bool few = p.fold == 1 && rows <= kThreads / kLeastLanes * kLoads;
  while (few && even(p, x) && p.lanes > kLeastLanes && tiles() < multiprocessors) p.lanes /= 2;
  p.tile = static_cast<int>(divide_up(divide_up(p.columns, tiles()), width) * width);
  p.tiles = divide_up(p.columns, p.tile);
  // One wave of blocks, none without a whole step.
  const wb::i64 step = kThreads / p.lanes * kLoads, steps = divide_up(p.rows, step);
  const wb::i64 pieces = std::min(wave / p.tiles, steps);
  p.piece = std::max<wb::i64>(divide_up(steps, std::max<wb::i64>(pieces, 1)), 1) * step;
  p.pieces = std::max<wb::i64>(divide_up(p.rows, p.piece), 1);
  if (p.lanes < kWarp) p.why = "few rows, so tiles are narrow";
  if (p.pieces > 1) p.why = "too few columns for all blocks";
  if (p.fold > 1) p.why = "rows too short for a warp";
  return p;
}
