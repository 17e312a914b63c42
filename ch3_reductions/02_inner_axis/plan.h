// Who reduces a row: some lanes of a warp, a warp, a block, or several blocks? A pure function of
// the shape, so that it can be printed, tested, and used by other lessons.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "wb/axes.h"

// y[o, i] = the reduction of x[o, r, i] over r: what any reduction over adjacent axes comes down to
// when neighbouring axes are taken together. Over the inner axis, `inner` is 1.
struct Collapsed {
  wb::i64 outer, reduced, inner = 1;
};

// How x lies in memory.
struct Placement {
  int element_bytes;
  wb::i64 stride;          // elements from one row's begin to the next one's
  std::uintptr_t address;  // of the first row
};

enum class Team { lanes, warp, block, blocks };

struct Plan {
  Team team;
  int width;       // elements per load
  int lanes;       // per row, where a row does not take whole warps
  int together;    // rows that such a team of lanes has in flight
  int threads;     // per block
  wb::i64 pieces;  // blocks per row
  wb::i64 piece;   // elements of a row per block
  const char* why;

  std::string text() const {
    std::string who = "a warp";
    if (team == Team::lanes) who = std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes");
    if (team == Team::block) who = "a block of " + std::to_string(threads);
    if (team == Team::blocks)
      who = std::to_string(pieces) + " blocks of " + std::to_string(threads);
    return who + " per row, loads of " + std::to_string(width) + ": " + why;
  }
};

// What to turn for another GPU.
constexpr int kWarp = 32;
constexpr int kLoadBytes = 16;     // the widest load
constexpr int kLoads = 8;          // of a warp's thread, in flight before the first is used
constexpr int kBlockLoads = 4;     // of a block's thread
constexpr int kTogether = 4;       // rows of a team of lanes, where there are many
constexpr int kMostThreads = 256;  // per block
constexpr int kWarpLoads = 16;     // per lane, of the longest row for a warp: 8 KiB
constexpr int kWarpRows = 16;      // per multiprocessor; with fewer, warps have too few loads
constexpr int kBlocks = 7;         // per multiprocessor, of the 8 that it holds at a time
constexpr int kPieceBytes = kMostThreads * kBlockLoads * kLoadBytes;  // a step of a block: 16 KiB

// The widest load of 16 bytes, 8 bytes or an element that begins in each row where the row does,
// and ends where it ends.
inline int even_width(wb::i64 columns, const Placement& x) {
  for (const int bytes : {kLoadBytes, kLoadBytes / 2}) {
    const int width = bytes / x.element_bytes;
    if (columns % width == 0 && x.stride % width == 0 && x.address % bytes == 0) return width;
  }
  return 1;
}

inline Plan plan_rows(const Collapsed& shape, const Placement& x, int multiprocessors) {
  const wb::i64 rows = shape.outer, columns = shape.reduced;
  const int even = even_width(columns, x), wide = kLoadBytes / x.element_bytes;
  const wb::i64 wanted = kBlocks * multiprocessors;  // blocks
  Plan plan{Team::lanes, even, kWarp, 1, kMostThreads, 1, columns, "a load per lane takes a row"};
  if (columns <= kWarp * even) {
    plan.lanes = static_cast<int>(std::bit_ceil<std::uint64_t>(columns / even));
    if (rows * plan.lanes >= kTogether * kMostThreads * wanted) plan.together = kTogether;
    return plan;
  }
  plan.width = wide;
  const wb::i64 loads = columns / wide;
  if (loads <= kWarp * kWarpLoads && rows >= kWarpRows * multiprocessors) {
    plan.team = Team::warp, plan.why = "short rows, enough for all warps; no barrier";
    return plan;
  }
  const wb::i64 warps = (loads + kWarp * kBlockLoads - 1) / (kWarp * kBlockLoads);
  plan.threads = kWarp * static_cast<int>(std::min<wb::i64>(warps, kMostThreads / kWarp));
  // As many blocks as keep all multiprocessors busy, of whole steps, no less than one each.
  const wb::i64 step = kPieceBytes / x.element_bytes;
  const wb::i64 most = std::min(wanted / std::max<wb::i64>(rows, 1) + 1, columns / step);
  if (rows >= wanted || most <= 1) {
    plan.team = Team::block;
    plan.why = rows >= wanted ? "enough rows for all blocks" : "rows too short to share";
    return plan;
  }
  plan.team = Team::blocks, plan.why = "too few rows for a block each";
  plan.piece = ((columns + most - 1) / most + step - 1) / step * step;
  plan.pieces = (columns + plan.piece - 1) / plan.piece;
  return plan;
}
