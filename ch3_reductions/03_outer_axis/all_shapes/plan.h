// Who sums a column: how wide a tile is, how many blocks share its rows, and how many rows are read
// as one. A pure function of the shape, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "wb/axes.h"

// What to turn for another GPU.
constexpr int kWarp = 32;
constexpr int kLoadBytes = 16;
constexpr int kThreads = 256;       // per block, where multiprocessors have several
constexpr int kAloneThreads = 512;  // per block, where they have one
constexpr int kResident = 3;        // of the former, that it must have registers for
constexpr int kLoads = 8;           // per thread, in flight before the first is used
constexpr int kSingleLoads = 16;    // the same of single elements, where a walk has no others
constexpr int kLeastLanes = 8;      // 128 bytes of a row
constexpr int kSplitLanes = 16;     // 256, where blocks share the rows or rows begin anywhere
constexpr int kFewRows = 8;         // with fewer, a block would have idle warps

// If a walk per load or column is enough threads, they share no rows: up to so many rows, with at
// least so many threads per multiprocessor, which holds 2048. Where rows begin anywhere, walks have
// no wide loads to lose, and in a tile of 32 rows a thread would have only four of its eight loads.
struct Walks {
  int rows, threads;
};
constexpr Walks kWideWalks = {16, 4096}, kSingleWalks = {32, 2048};

// How x is laid out in memory.
struct Placement {
  int element_bytes;
  wb::i64 stride;          // elements from one row's begin to the next one's
  std::uintptr_t address;  // of the first row
};

// The matrix as blocks read it, `fold` rows of x as one, in tiles of columns and pieces of rows. A
// block takes one tile in one piece. Or threads walk down columns of their own: there are no tiles.
struct Plan {
  bool walk = false;
  wb::i64 fold = 1;
  wb::i64 rows, columns, stride;  // of that matrix
  int threads = kThreads;         // per block
  int lanes = kWarp;              // neighbours that read a row of a tile, a load each
  int together = kWarp;           // threads that leave one line in the block's shared memory
  int tile;                       // columns per block
  wb::i64 tiles = 0;
  wb::i64 piece;  // rows per block
  wb::i64 pieces = 1;
  bool one_step = false;  // whole tiles, even rows, and so few that no thread needs a second step
  const char* why = "enough columns for all blocks";

  std::string text() const {
    std::string who = std::to_string(tile) + " columns per " + (walk ? "thread" : "block");
    if (fold > 1) who = std::to_string(fold) + " rows read as one of " + std::to_string(columns);
    if (pieces > 1)
      who += ", " + std::to_string(pieces) + " pieces of " + std::to_string(piece) + " rows";
    if (!walk) who += ", " + std::to_string(threads) + " threads";
    if (one_step) who += ", one step";
    return who + ": " + why;
  }
};

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
  const int width = kLoadBytes / x.element_bytes;
  const wb::i64 enough = std::max(multiprocessors * 3 / 4, 1);  // blocks for most of them
  Plan p;
  p.rows = p.piece = rows, p.columns = columns, p.stride = x.stride, p.tile = width;
  if (columns == 0) return p;
  if (x.stride == columns)  // rows that follow one after the other, as many as a warp's loads cover
    for (int lanes = kWarp; lanes >= kWarp - 1; --lanes) {
      p.fold = std::max<wb::i64>(lanes * width / columns, 1);
      p.rows = divide_up(rows, p.fold), p.columns = p.stride = p.fold * columns;
      if (p.fold == 1 || p.columns <= covered(p, x, kWarp)) break;
    }
  const int own = even(p, x) && columns % width == 0 ? width : 1;  // columns of a thread that walks
  const Walks walks = own > 1 ? kWideWalks : kSingleWalks;
  const bool few = rows < kFewRows;
  if (p.fold == 1 &&
      (few || (rows <= walks.rows && columns / own >= wb::i64{walks.threads} * multiprocessors))) {
    p.walk = true, p.why = few ? "fewer rows than a block has warps" : "columns for all threads";
    p.tile = own;
    p.tiles = divide_up(columns, p.tile);
    return p;
  }
  const auto tiles = [&] { return divide_up(p.columns, covered(p, x, p.lanes)); };
  if (p.fold == 1) {
    const int least = even(p, x) ? kLeastLanes : kSplitLanes;
    while (p.lanes > least && tiles() < enough) p.lanes /= 2;
    if (tiles() < enough && rows > kThreads / kLeastLanes * kLoads) p.lanes = kSplitLanes;
  }
  if (!even(p, x)) p.together = p.lanes;
  p.tile = static_cast<int>(divide_up(divide_up(p.columns, tiles()), width) * width);
  p.tiles = divide_up(p.columns, p.tile);
  // About a block per multiprocessor, and none without a step: all loads of all its threads.
  const auto step = [&](int threads) { return threads / p.lanes * kLoads; };
  const wb::i64 most = std::max(multiprocessors / p.tiles, divide_up(enough, p.tiles));
  p.pieces = std::clamp<wb::i64>(p.rows / step(kThreads), 1, most);
  p.piece = divide_up(p.rows, p.pieces);
  if (p.tiles * p.pieces <= multiprocessors && p.piece >= step(kAloneThreads))
    p.threads = kAloneThreads;
  const int deep = p.threads / p.lanes;
  p.piece = std::max<wb::i64>(divide_up(p.piece, deep), 1) * deep;
  p.pieces = std::max<wb::i64>(divide_up(p.rows, p.piece), 1);
  p.one_step = p.fold == 1 && rows <= step(kThreads) && columns % (p.lanes * width) == 0 &&
               even(p, x) && rows * x.stride <= INT32_MAX;
  if (p.lanes < kWarp) p.why = "few columns, so tiles are narrow";
  if (p.pieces > 1) p.why = "too few columns for all blocks";
  if (p.fold > 1) p.why = "rows too short for a warp";
  return p;
}
