// Who takes a row: some lanes of a warp, a warp, a block, a cluster of blocks, or blocks that do
// not wait for each other? A pure function of the shape, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "../../shared/stage.h"

constexpr int kLoadBytes = 16;

struct Shape {
  bool backward;
  wb::i64 rows, columns;
  int element_bytes;
  wb::i64 stride;  // elements from one row's begin to the next one's
  wb::i64 late;    // elements from an address that 16 divides to the first row

  // Each row begins at an address that 16 divides, and ends at one.
  bool even() const { return (columns | stride | late) * element_bytes % kLoadBytes == 0; }
};

struct Machine {
  int multiprocessors;
  int most_cluster;  // blocks per cluster; 0: there are no clusters
};

enum class Team { lanes, staged, warp, block, cluster, blocks };

struct Plan {
  Team team;
  int width;       // elements per load of a lane, or per access to shared memory
  int lanes;       // per row, where a row does not take whole warps
  int elements;    // that a thread keeps in registers
  int threads;     // per block
  int cluster;     // blocks per row that exchange their values through shared memory
  wb::i64 pieces;  // blocks per row that leave them in memory
  wb::i64 piece;   // elements of a row per such block
  const char* why;
  int own = 1;  // rows of a block that copies them to shared memory

  std::string text() const {
    const std::string size = std::to_string(threads);
    std::string who = "a warp";
    if (team == Team::lanes || team == Team::staged)
      who = std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes");
    if (team == Team::staged)
      who = std::to_string(own) + " rows per block through shared memory, " + who;
    if (team == Team::block) who = "a block of " + size;
    if (team == Team::cluster)
      who = cluster == 1 ? "a block of " + size + ", the next row on its way"
                         : "a cluster of " + std::to_string(cluster) + " blocks";
    if (team == Team::blocks)
      who = std::to_string(pieces) + (pieces == 1 ? " block" : " blocks") + ", two passes";
    return who + " per row: " + why;
  }
};

// Knobs. A multiprocessor has as many bytes in flight as its resident threads have elements.
constexpr int kThreads = 256;
constexpr int kWarpRows = 16;      // per multiprocessor; with fewer, a block per row is better
constexpr int kFewElements = 8;    // per thread, for short rows of warps, and for few rows
constexpr int kSomeElements = 16;  // per thread
constexpr int kManyElements =
    32;  // per thread; not of two arrays in fp32, which would take too many
constexpr int kShortBlock = 4096;   // columns up to which a block has kSomeElements per thread
constexpr int kLongBlock = 16384;   // columns up to which a block takes a row
constexpr int kMostThreads = 1024;  // per block, also of a cluster
constexpr int kPieceBlocks = 8;     // per multiprocessor, that share rows which no cluster can keep

inline Plan plan_rows(const Shape& s, const Machine& machine) {
  const int wide = kLoadBytes / s.element_bytes, width = s.even() ? wide : 1;
  const int elements = s.backward && s.element_bytes == 4 ? kSomeElements : kManyElements;
  const auto up = [](wb::i64 n, wb::i64 unit) { return (n + unit - 1) / unit; };
  Plan plan{
      Team::lanes, width, 32, elements, kThreads, 1, 1, s.columns, "a load per lane takes a row"};
  const bool short_rows = s.columns <= 32 * width;
  if (short_rows) {
    plan.lanes = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(up(s.columns, width))));
  } else if (s.columns <= 32 * elements && s.rows >= kWarpRows * machine.multiprocessors) {
    plan.team = Team::warp, plan.why = "it fits into a warp's registers; no barrier";
    if (s.columns <= 32 * kFewElements) plan.elements = kFewElements;
  }
  if (short_rows || plan.team == Team::warp) {
    // Places for elements, two of each lane of a warp for the ends. Each costs as much as if it had
    // one, and where loads are of single elements, a place costs as much as several.
    const wb::i64 room = short_rows ? plan.lanes * width : 32 * (plan.elements + 2);
    const bool wasted = 4 * s.columns <= 3 * room || (short_rows && width == 1);
    if (wasted && s.columns > 0 && s.columns <= kStageColumns && s.stride == s.columns) {
      const Stage stage =
          stage_rows(s.rows, s.columns, s.element_bytes, s.late, machine.multiprocessors);
      plan.team = Team::staged, plan.own = stage.rows, plan.lanes = stage.lanes;
      plan.width = stage.width, plan.elements = kStageUnits * stage.width;
      plan.threads = kStageThreads, plan.why = "short rows that would leave lanes idle";
    }
    return plan;
  }
  const bool clusters = machine.most_cluster > 0;
  if (s.columns <= (clusters || s.backward ? kLongBlock : elements * kMostThreads)) {
    plan.team = Team::block, plan.why = "it fits into a block's registers";
    if (s.columns <= kShortBlock) plan.elements = kSomeElements;
    // Few rows: nothing else is on the multiprocessor, and more threads are done sooner.
    if (s.rows < machine.multiprocessors && s.columns <= kFewElements * kMostThreads)
      plan.elements = kFewElements;
    plan.threads = static_cast<int>(32 * up(s.columns, 32 * plan.elements));
    return plan;
  }
  // As many blocks as keep the row, and more where there are few rows.
  const wb::i64 most = wb::i64{kManyElements} * kMostThreads;  // columns per block
  if (s.columns <= most * machine.most_cluster) {
    plan.team = Team::cluster, plan.elements = kManyElements, plan.threads = kMostThreads;
    plan.cluster = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(up(s.columns, most))));
    while (plan.cluster < std::min(8, machine.most_cluster) &&
           2 * plan.cluster * s.rows <= machine.multiprocessors)
      plan.cluster *= 2;
    if (plan.cluster == 1) plan.threads = static_cast<int>(32 * up(s.columns, 32 * kManyElements));
    plan.why = plan.cluster == 1 ? "it fits into a multiprocessor's registers"
                                 : "it fits into the registers of so many multiprocessors";
    return plan;
  }
  const wb::i64 step = wb::i64{kThreads} * kSomeElements;
  const wb::i64 wanted = kPieceBlocks * machine.multiprocessors / std::max<wb::i64>(s.rows, 1) + 1;
  plan.team = Team::blocks, plan.elements = kSomeElements;
  plan.piece = up(up(s.columns, wanted), step) * step;
  plan.pieces = up(s.columns, plan.piece);
  plan.why =
      clusters ? "too long for a cluster" : "too long for a block, and there are no clusters";
  return plan;
}
