// Who reduces a row: some lanes of a warp, a warp, a block, or several blocks? A pure function of
// the shape, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "wb/axes.h"

// How x is laid out in memory.
struct Placement {
  int element_bytes;
  wb::i64 stride;          // elements from one row's begin to the next one's
  std::uintptr_t address;  // of the first row
};

enum class Team { lanes, staged, warp, block, blocks };

struct Plan {
  Team team;
  int width;       // elements per load
  int loads;       // per thread, from one row, in flight before the first is used
  int lanes;       // per row, where a row does not take whole warps
  int together;    // rows that such a team of lanes has in flight
  int threads;     // per block
  wb::i64 pieces;  // blocks per row
  wb::i64 piece;   // elements of a row per block
  const char* why;
  int own = 1;         // rows of a block that copies them to shared memory
  bool full = false;   // no lane of any block lacks a wide load, and 32 bits number the elements
  bool whole = false;  // a block's threads have all loads of its row at once, and all are wide

  std::string text() const {
    std::string who = "a warp";
    if (team == Team::lanes) who = std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes");
    if (team == Team::staged)
      return std::to_string(own) + " rows per block through shared memory, " +
             std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes") + " per row: " + why;
    if (team == Team::block) who = "a block of " + std::to_string(threads);
    if (team == Team::blocks)
      who = std::to_string(pieces) + " blocks of " + std::to_string(threads);
    return who + " per row, " + std::to_string(loads * together) +
           (loads * together == 1 ? " load of " : " loads of ") + std::to_string(width) +
           " in flight: " + why;
  }
};

// What to turn for another GPU.
constexpr int kWarp = 32;
constexpr int kLoadBytes = 16;     // the widest load
constexpr int kThreads = 256;      // per block of lanes or of warps
constexpr int kLaneLoads = 2;      // per lane of a short row, at most: 1, 2 or 4
constexpr int kLaneBytes = 128;    // that the lanes of a short row read side by side, at least
constexpr int kTogether = 2;       // short rows at once where lanes have one load and rows are many
constexpr int kLoads = 4;          // per thread of a warp or a block; more need too many registers
constexpr int kFewLoads = 2;       // per thread of a block whose row is short: it has more threads
constexpr int kMostThreads = 256;  // per block that takes its row step by step
constexpr int kWholeThreads = 512;     // per block that has all of its row in flight
constexpr int kWarpBytes = 4096;       // rows from here on are for blocks, however many there are
constexpr int kStageBytes = 16 << 10;  // of rows that a block copies to shared memory
constexpr int kWarpRows = 16;          // per multiprocessor; with fewer, warps have too few loads
constexpr int kBlocks = 8;             // of kMostThreads, that a recent multiprocessor has room for
constexpr int kPieceBytes = kMostThreads * kLoads * kLoadBytes;  // a step of a block: 16 KiB
static_assert(kLaneLoads == 1 || kLaneLoads == 2 || kLaneLoads == 4);

// The widest load of 16 bytes, 8 bytes or an element that begins in each row where the row does,
// and ends where it ends.
inline int even_width(wb::i64 columns, const Placement& x) {
  for (const int bytes : {kLoadBytes, kLoadBytes / 2}) {
    const int width = bytes / x.element_bytes;
    if (columns % width == 0 && x.stride % width == 0 && x.address % bytes == 0) return width;
  }
  return 1;
}

// Where a row has `loads` loads of `bytes` each. Powers of two all. A load more per lane is half
// the lanes and a shuffle less, but lanes that lie too far apart ask for parts of lines.
constexpr int loads_per_lane(int loads, int bytes) {
  return std::clamp(loads * bytes / kLaneBytes, 1, kLaneLoads);
}

// `resident`: blocks of kMostThreads that a multiprocessor holds at a time.
inline Plan plan_rows(wb::i64 rows, wb::i64 columns, const Placement& x, int multiprocessors,
                      int resident = kBlocks) {
  const int even = even_width(columns, x), wide = kLoadBytes / x.element_bytes;
  const wb::i64 places = wb::i64{resident} * multiprocessors;  // for blocks
  Plan plan{Team::lanes, even, 1, kWarp, 1, kThreads, 1, columns, "a short row"};
  // Rows in one piece that begin at odd places: where x begins where a wide load may, a block's
  // first row does, too.
  const wb::i64 staged = columns > 0 ? kStageBytes / x.element_bytes / columns / wide * wide : 0;
  if (even < wide && columns > 1 && staged > 0 && x.stride == columns &&
      rows >= 2 * staged * multiprocessors) {
    plan.team = Team::staged, plan.own = static_cast<int>(staged),
    plan.why = "rows that begin anywhere";
    plan.lanes = static_cast<int>(
        std::bit_floor<std::uint64_t>(std::clamp<wb::i64>(kThreads / staged, 1, kWarp)));
    return plan;
  }
  if (columns <= kWarp * even) {
    const int all = static_cast<int>(std::bit_ceil<std::uint64_t>(columns / even));
    plan.loads = loads_per_lane(all, even * x.element_bytes);
    plan.lanes = all / plan.loads;
    if (plan.loads == 1 && rows * plan.lanes >= kTogether * kMostThreads * places)
      plan.together = kTogether;
    plan.full = even == wide && columns == all * wide &&
                rows % (kThreads / plan.lanes * plan.together) == 0 && rows * x.stride <= INT32_MAX;
    if (plan.full) plan.why = "short rows that fill all blocks";
    return plan;
  }
  plan.width = wide, plan.loads = kLoads;
  if (columns * x.element_bytes < kWarpBytes && rows >= kWarpRows * multiprocessors) {
    plan.team = Team::warp, plan.why = "enough rows for all warps; no barrier";
    return plan;
  }
  const wb::i64 packs = columns / wide;
  if (packs <= kMostThreads * kFewLoads) plan.loads = kFewLoads;
  const wb::i64 warps = (packs + kWarp * plan.loads - 1) / (kWarp * plan.loads);
  if (even == wide && packs <= kWholeThreads * kLoads) {
    plan.team = Team::block, plan.whole = true, plan.why = "all of the row at once";
    plan.threads = kWarp * static_cast<int>(warps);
    return plan;
  }
  plan.threads = kWarp * static_cast<int>(std::clamp<wb::i64>(warps, 1, kMostThreads / kWarp));
  // No more blocks than there are places, so that all run at a time; each has a step or more.
  const wb::i64 step = kPieceBytes / x.element_bytes;
  const wb::i64 most = std::min(places / std::max<wb::i64>(rows, 1), columns / step);
  if (most <= 1) {
    plan.team = Team::block;
    plan.why = 2 * rows > places ? "enough rows for all blocks" : "a row too short to share";
    return plan;
  }
  plan.team = Team::blocks, plan.why = "too few rows for a block each";
  plan.piece = ((columns + most - 1) / most + step - 1) / step * step;
  plan.pieces = (columns + plan.piece - 1) / plan.piece;
  return plan;
}
