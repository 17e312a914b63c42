// Who takes a row, and where the row stays while its mean and variance are found. A pure function
// of the shape and the machine, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <string>

#include "wb/axes.h"

struct Machine {
  int multiprocessors;
  int shared_bytes;  // that a block can have
  bool clusters;     // blocks that read each other's shared memory: compute capability 9.0
};

struct Shape {
  bool backward, rms;
  int element_bytes;
  wb::i64 rows, columns;
  bool even;  // every row of every array begins and ends at a multiple of 16 bytes
};

enum class Way {
  warp,   // a warp has the row in registers
  block,  // a block has
  slots,  // a cluster of blocks has it in shared memory, and the next rows are on their way there
  twice   // nobody: the row is read twice
};

struct Plan {
  Way way = Way::twice;
  int width = 1;          // elements per load
  int elements = 8;       // of a row, per thread
  int threads = 256;      // per block
  int packs = 0;          // loads per thread and row, where rows stay in shared memory
  int depth = 0;          // such rows at a time
  int cluster = 1;        // blocks per row
  bool keep = false;      // weight and bias stay in shared memory, too
  int per_processor = 1;  // blocks; each takes one row after the other
  const char* why = "";

  std::string text() const {
    const std::string block = "a block of " + std::to_string(threads);
    std::string who = "a warp per row";
    if (way == Way::block || way == Way::twice) who = block + " per row";
    if (way == Way::slots && cluster > 1)
      who = std::to_string(cluster) + " blocks of " + std::to_string(threads) + " per row";
    if (way == Way::slots && cluster == 1) who = block + " per row";
    if (way == Way::slots) who += ", " + std::to_string(depth) + " rows in shared memory";
    if (way == Way::warp || way == Way::block)
      who += ", " + std::to_string(elements) + " elements per thread";
    return who + ", loads of " + std::to_string(width) + ": " + why;
  }
};

// What to turn for another GPU.
constexpr int kLoadBytes = 16;
constexpr int kMostElements = 32;           // per thread, in registers
constexpr int kWarpRows = 16;               // per multiprocessor; with fewer, warps load too little
constexpr int kFewThreads = 256;            // per row of a block, as long as that is enough
constexpr int kMostInRegisters = 16 << 10;  // elements of a row; half of a multiprocessor's in fp32
constexpr int kSlotThreads = 512;           // per block of a cluster
constexpr int kPortable = 8;                // blocks per cluster, on any GPU that has clusters
constexpr int kMostBlocks = 16;             // per cluster, if the kernel asks for it
constexpr int kEnoughRows = 3;  // in shared memory: one at work, the others on their way
constexpr int kMostRows = 8;
constexpr int kBackwardElements = 8;  // per thread: it has x, dy, weight, dweight, dbias of each
constexpr int kBackwardThreads = 1024;
constexpr int kReserved = 1 << 10;  // shared memory per block: for the driver
constexpr int kOwn = 1 << 10;       // and for sums

inline int whole_warps(wb::i64 threads) {
  return static_cast<int>(std::max<wb::i64>((threads + 31) / 32, 1)) * 32;
}

// Rows that wait in shared memory; each thread has its own places there, 16 bytes each.
inline bool plan_slots(Plan& plan, const Shape& s, const Machine& m) {
  const int all = (m.shared_bytes - kOwn) / (kSlotThreads * kLoadBytes), kept = s.rms ? 1 : 2;
  const auto fits = [&](int cluster, bool keep, int enough) {
    const wb::i64 step = wb::i64{cluster} * kSlotThreads * plan.width;
    const wb::i64 packs = (s.columns + step - 1) / step;
    const wb::i64 rows = packs ? all / packs - (keep ? kept : 0) : 0;
    if (rows < enough) return false;
    plan.packs = static_cast<int>(packs), plan.keep = keep, plan.cluster = cluster;
    plan.depth = static_cast<int>(std::min<wb::i64>(rows, kMostRows));
    return true;
  };
  const int most = m.clusters ? kMostBlocks : 1, portable = m.clusters ? kPortable : 1;
  for (int cluster = 1; cluster <= portable; cluster *= 2)
    if (fits(cluster, true, kEnoughRows)) return true;
  return fits(most, true, kEnoughRows) || fits(most, false, 1);
}

inline Plan plan_forward(const Shape& s, const Machine& m) {
  Plan plan;
  plan.width = s.even ? kLoadBytes / s.element_bytes : 1;
  const int most = s.even ? kMostElements : kMostElements / 2;  // else each needs an address, too
  const auto elements = [&](int threads) {
    for (int count = 8; count < most; count *= 2)
      if (s.columns <= wb::i64{threads} * count) return count;
    return most;
  };
  if (s.columns <= 32 * most && s.rows >= wb::i64{kWarpRows} * m.multiprocessors) {
    plan.way = Way::warp, plan.elements = elements(32);
    plan.why = "short rows, enough for all warps; no barrier";
    return plan;
  }
  if (s.columns <= kMostInRegisters) {
    plan.way = Way::block, plan.elements = elements(kFewThreads);
    plan.threads = whole_warps((s.columns + plan.elements - 1) / plan.elements);
    plan.why = "the row stays in registers";
    return plan;
  }
  if (s.even && plan_slots(plan, s, m)) {
    plan.way = Way::slots, plan.threads = kSlotThreads, plan.elements = plan.packs * plan.width;
    plan.why = plan.cluster > 1 ? "too long for one block" : "too long for registers";
    return plan;
  }
  plan.why = s.even ? "too long to stay anywhere" : "too long for registers, and not aligned";
  return plan;
}

inline Plan plan_backward(const Shape& s, const Machine& m) {
  Plan plan;
  plan.width = s.even ? kLoadBytes / s.element_bytes : 1;
  plan.why = s.even ? "too long for a block's registers" : "rows are not aligned";
  if (!s.even || s.columns > kBackwardElements * kBackwardThreads) return plan;
  plan.elements = kBackwardElements, plan.packs = kBackwardElements / plan.width;
  const int threads = whole_warps((s.columns + kBackwardElements - 1) / kBackwardElements);
  const int blocks = std::clamp(kBackwardThreads / threads, 1, 16);
  const int shared = (m.shared_bytes + kReserved) / blocks - kReserved - kOwn;
  const int depth = std::min(shared / (2 * plan.packs * threads * kLoadBytes), kMostRows);
  if (depth < 1) return plan;
  plan.way = Way::slots, plan.threads = threads, plan.depth = depth, plan.per_processor = blocks;
  plan.why = "blocks keep their columns' sums in registers, row after row";
  return plan;
}

inline Plan plan_norm(const Shape& s, const Machine& m) {
  return s.backward ? plan_backward(s, m) : plan_forward(s, m);
}
