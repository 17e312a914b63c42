// Who takes a row, and where the row stays while its mean and variance are found. A pure function
// of the shape and the machine, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <string>

#include "../../shared/stage.h"

struct Machine {
  int multiprocessors;
  int shared_bytes;  // that a block can have
  bool clusters;     // blocks that read each other's shared memory: compute capability 9.0
};

struct Shape {
  bool backward, rms;
  int element_bytes;
  wb::i64 rows, columns;
  bool even;           // every row of every array begins and ends at a multiple of 16 bytes
  bool run = false;    // x and y have no gaps, and lie equally far after such an address
  bool words = false;  // the same as `even` for 4 bytes
};

enum class Way {
  staged,   // some lanes have, and it comes and goes with others by way of shared memory
  warp,     // a warp has the row in registers
  block,    // a block has
  whole,    // a block has, and no thread lacks a load
  few,      // a block has, and few others run: weight and bias come with x
  shared,   // a block has it in shared memory
  cluster,  // a cluster of blocks has
  pieces,   // no team: blocks read pieces of rows in one launch, and again in the next one
  slots,    // a block has it in shared memory, and the next rows are on their way there: backward
  stages    // no team: the row is read twice: backward
};

// What to turn for another GPU.
constexpr int kLoadBytes = 16;
constexpr int kWordBytes = 4;         // where addresses allow no more
constexpr int kWarpRows = 16;         // per multiprocessor; with fewer, warps load too little
constexpr int kFewestLoads = 1;       // per thread and row, where rows are few and short
constexpr int kFewLoads = 4;          // where they are not; more blocks fit on a multiprocessor
constexpr int kMostLoads = 8;         // else
constexpr int kFewColumns = 8 << 10;  // up to here
constexpr int kMostThreads = 512;     // per row and block
constexpr int kTallLoads = 2;         // of a thread where none lacks a load
constexpr int kTallThreads = 1024;    // in such a block
constexpr int kTallColumns = 4096;    // from here on
constexpr int kRowThreads = 1024;     // that have a row in shared memory
constexpr int kRowBlocks = 2;         // such blocks per multiprocessor
constexpr int kTeamThreads = 256;     // per row in a block of a cluster
constexpr int kTeams = 2;             // rows in such a block
constexpr int kClusterBlocks = 2;     // such blocks per multiprocessor
constexpr int kMostBlocks = 16;       // per cluster, if the kernel asks for it; 8 on any GPU
constexpr int kPortable = 8;
constexpr int kPieceColumns = 8 << 10;  // of a row that is cut in pieces, at least
constexpr int kPieces = 16;             // per multiprocessor, where rows are long enough
constexpr int kStrip = 4096;            // columns of a block that writes
constexpr int kMostGroup = 16;          // rows of such a block
constexpr int kStrips = 8;              // such blocks per multiprocessor, before they get more rows
constexpr int kBackwardElements = 8;    // per thread: it has x, dy, weight, dweight, dbias of each
constexpr int kBackwardThreads = 1024;  // per multiprocessor, and of a block at most
constexpr int kBackwardRows = 8;        // of a block, where a warp is enough for each
constexpr int kRowsAhead = 2;           // in shared memory: one in use, one on its way
constexpr int kReserved = 1 << 10;      // shared memory per block: for the driver
constexpr int kOwn = 1 << 10;           // and for sums

struct Plan {
  Way way = Way::stages;
  bool odd = false;       // rows that begin or end within 16 bytes
  int width = 1;          // elements per load, or per access to shared memory
  int loads = 8;          // per thread and row
  int threads = 256;      // per block; of a cluster per row and block
  int blocks = 1;         // per row
  int per_processor = 1;  // blocks that take one row after the other
  const char* why = "";
  int own = 1, lanes = 32;  // rows of a block that has several; lanes for each

  std::string text() const {
    if (way == Way::staged)
      return std::to_string(own) + " rows per block through shared memory, " +
             std::to_string(lanes) + (lanes == 1 ? " lane" : " lanes") + " per row: " + why;
    if (way == Way::stages)
      return "pieces of rows, then columns of rows, loads of " + std::to_string(width) + ": " + why;
    const std::string block = "a block of " + std::to_string(threads);
    std::string who = block + " per row";
    if (way == Way::warp) who = "a warp per row";
    if (way == Way::cluster)
      who = std::to_string(blocks) + " blocks, " + std::to_string(threads) +
            " threads of each per row";
    if (way == Way::pieces)
      return std::to_string(blocks) + (blocks == 1 ? " piece" : " pieces") + " per row, then " +
             block + " for " + std::to_string(own) + (own == 1 ? " row" : " rows") + " of " +
             std::to_string(kStrip) + " columns: " + why;
    if (way == Way::shared) return who + ": " + why;
    if (way == Way::slots && own > 1)
      who = std::to_string(own) + " rows per block, a warp for each";
    if (way == Way::slots)
      who += own > 1 ? ", the next ones on their way" : ", the next row on its way";
    who += ", " + std::to_string(loads) + (loads == 1 ? " load" : " loads") + " per thread";
    who += ", loads of " + std::to_string(width);
    if (odd && way == Way::block) who += ", single elements at both ends";
    return who + ": " + why;
  }
};

inline wb::i64 up(wb::i64 n, wb::i64 unit) { return (n + unit - 1) / unit; }
inline int whole_warps(wb::i64 threads) {
  return static_cast<int>(std::max<wb::i64>(up(threads, 32), 1)) * 32;
}

// The shared memory, in bytes, that each of so many blocks on a multiprocessor can have.
inline int shared_of_block(const Machine& m, int blocks) {
  return (m.shared_bytes + kReserved) / blocks - kReserved - kOwn;
}

inline Plan plan_forward(const Shape& s, const Machine& m) {
  Plan plan;
  const int wide = kLoadBytes / s.element_bytes, lane_loads = s.even ? kFewLoads : kMostLoads;
  const bool many = s.rows >= m.multiprocessors;
  plan.odd = !s.even, plan.width = s.even ? wide : 1;
  if (const wb::i64 loads = up(s.columns, plan.width);
      loads <= 32 * lane_loads && s.rows >= wb::i64{kWarpRows} * m.multiprocessors) {
    plan.way = Way::warp, plan.loads = loads <= 16 * lane_loads ? lane_loads / 2 : lane_loads;
    plan.why = "short rows, enough for all warps; no barrier";
    // Single elements cost as much as packs, and a warp takes as long for a row of few.
    if (s.run && s.columns > 0 && (!s.even || 4 * loads <= 3 * 32)) {
      const Stage stage =
          stage_rows(s.rows, s.columns, s.element_bytes, s.words ? 0 : 1, m.multiprocessors);
      plan.way = Way::staged, plan.own = stage.rows, plan.lanes = stage.lanes;
      plan.width = stage.width, plan.loads = kStageUnits, plan.threads = kStageThreads;
      plan.why = "short rows that would leave lanes idle";
    }
    return plan;
  }
  const wb::i64 loads = up(s.columns, wide);  // of a row
  if (loads <= wb::i64{kMostThreads} * kMostLoads) {
    plan.way = Way::block, plan.width = wide;
    plan.loads = s.columns <= kFewColumns ? kFewLoads : kMostLoads;
    plan.why = "the row stays in registers";
    if (s.even && !many) {
      // Nothing else is on the multiprocessor, and more threads are done sooner.
      while (plan.loads > kFewestLoads && loads <= kMostThreads * plan.loads / 2) plan.loads /= 2;
      if (plan.loads < kFewLoads)
        plan.way = Way::few, plan.why = "few rows: weight and bias come with x";
    } else if (s.even && s.rms && s.element_bytes == 4 && s.columns >= kTallColumns &&
               s.columns <= kFewColumns && loads % (32 * kTallLoads) == 0) {
      plan.way = Way::whole, plan.loads = kTallLoads;
      plan.why = "the row stays in registers, and no thread lacks a load";
    }
    plan.threads = whole_warps(up(loads, plan.loads));
    return plan;
  }
  plan.width = wide;
  if (s.even && m.clusters && loads <= wb::i64{kMostBlocks} * kTeamThreads * kMostLoads) {
    plan.way = Way::cluster, plan.loads = kMostLoads, plan.threads = kTeamThreads, plan.blocks = 4;
    while (wb::i64{plan.blocks} * kTeamThreads * kMostLoads < loads) plan.blocks *= 2;
    plan.why = "too long for one block";
    return plan;
  }
  if (many && (s.columns + wide) * s.element_bytes <= shared_of_block(m, kRowBlocks)) {
    plan.way = Way::shared, plan.width = 1, plan.threads = kRowThreads;
    plan.loads = static_cast<int>(up(s.columns, kRowThreads));
    plan.why = "the row stays in shared memory, which takes it wherever it begins";
    return plan;
  }
  plan.way = Way::pieces, plan.threads = kMostThreads;
  plan.why = s.even ? "too long to stay anywhere" : "too long for registers, and not aligned";
  const wb::i64 rows = std::max<wb::i64>(s.rows, 1), most = s.columns / kPieceColumns;
  const wb::i64 pieces =
      std::clamp<wb::i64>(up(wb::i64{kPieces} * m.multiprocessors, rows), 1, most);
  plan.blocks = static_cast<int>(up(s.columns, up(s.columns, pieces)));  // none is empty
  const wb::i64 strips = up(s.columns, kStrip);
  plan.own = static_cast<int>(
      std::clamp<wb::i64>(rows * strips / (kStrips * m.multiprocessors), 1, kMostGroup));
  return plan;
}

inline Plan plan_backward(const Shape& s, const Machine& m) {
  Plan plan;
  plan.odd = !s.even, plan.width = s.even ? kLoadBytes / s.element_bytes : 1;
  plan.why = "too long for a block's registers";
  if (s.columns > kBackwardElements * kBackwardThreads) return plan;
  plan.why = "single elements of 16 bits, which no copy takes";
  if (!s.even && !s.words) return plan;
  const int threads = whole_warps((s.columns + kBackwardElements - 1) / kBackwardElements);
  // A block leaves one slab of its columns' sums: with several rows there are fewer to add up.
  plan.own = threads == 32 ? kBackwardRows : 1;
  const int blocks = std::clamp(kBackwardThreads / (threads * plan.own), 1, 16);
  const int shared = shared_of_block(m, blocks);
  plan.why = "too long for a block's shared memory";
  if (shared < 2 * kRowsAhead * kBackwardElements * threads * plan.own * s.element_bytes)
    return plan;
  plan.width = (s.even ? kLoadBytes : kWordBytes) / s.element_bytes;
  plan.loads = kBackwardElements / plan.width;
  plan.way = Way::slots, plan.threads = threads, plan.per_processor = blocks;
  plan.why = "blocks keep their columns' sums in registers, row after row";
  return plan;
}

inline Plan plan_norm(const Shape& s, const Machine& m) {
  return s.backward ? plan_backward(s, m) : plan_forward(s, m);
}
