// What a search may choose from on a GPU, and a model of the time: the bytes, and what can keep a
// multiprocessor from moving them.
#pragma once

#include <algorithm>
#include <cmath>

#include "../engine/tunable.h"
#include "block_size.h"

namespace gpu {

constexpr double kLatency = 800e-9;  // seconds until memory answers
constexpr double kBlock = 600e-9;    // seconds that a block takes in addition
constexpr double kStarts = 1.6e9;    // blocks that a GPU starts in a second
constexpr double kMostBlocks = 32;   // of a multiprocessor
constexpr double kClock = 1.7e9;     // of a multiprocessor
constexpr double kBandwidth = 4e12;  // where none was measured
constexpr int kOwnShared = 2048;     // bytes for the kernel and the system, in addition to the rows

// The default has the values that people write first.
inline tune::Space space(const wb::Case& c, const tune::Limits& limits) {
  using tune::Values;
  const BlockSize::Args p = BlockSize::sizes(c);
  const wb::i64 rows = std::max<wb::i64>(p.rows, 1), columns = p.columns;
  tune::Space s;
  s.add("BLOCK", {64, 128, 256, 512, 1024}, 256).means("threads of a block");
  s.add("WIDTH", {1, 2, 4}, 1).means("floats of one load");
  s.add("LOADS", {1, 2, 4, 8}, 1).means("loads that a thread starts before it waits for one");
  if (p.op == Operation::add) return s;
  s.require("rows do not begin at multiples of such loads",
            [=](const Values& v) { return columns % v["WIDTH"] == 0; });
  if (p.op == Operation::columns) {
    s.add("LINES", {1, 2, 4, 8, 16, 32}, 1).means("threads of a block that share a column");
    s.add("SPLIT", {1, 2, 4, 8, 16, 32, 64}, 1, /*at_launch=*/true)
        .means("blocks that share a column; if more than 1, a second launch adds their sums");
    s.require("a block has a warp side by side",
              [](const Values& v) { return v["BLOCK"] / v["LINES"] >= 32 || v["LINES"] == 1; });
    s.require("there are fewer rows",
              [=](const Values& v) { return v["LINES"] * v["LOADS"] * v["SPLIT"] <= rows; });
    return s;
  }
  s.add("TEAM", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, 32)
      .means("threads that share a row");
  s.add("ROWS", {1, 2, 4, 8}, 1).means("rows that such a team sums at the same time");
  s.add("STAGE", {0, 1}, 0).means("if 1, a block first copies its rows to shared memory");
  s.require("a team is a part of a warp, or the block",
            [](const Values& v) { return v["TEAM"] <= 32 || v["TEAM"] == v["BLOCK"]; });
  s.require("half of a block has nothing to load", [=](const Values& v) {
    return v["TEAM"] <= 32 || v["TEAM"] / 2 * v["WIDTH"] < columns;
  });
  s.require("half of the loads have nothing to load", [=](const Values& v) {
    return v["LOADS"] == 1 || v["TEAM"] * v["WIDTH"] * v["LOADS"] / 2 < columns;
  });
  s.require("more registers than there are", [](const Values& v) {
    return v["STAGE"] || v["WIDTH"] * v["LOADS"] * v["ROWS"] <= 64;
  });
  s.require("rows in shared memory are read one float at a time",
            [](const Values& v) { return !v["STAGE"] || (v["WIDTH"] == 1 && v["LOADS"] == 1); });
  s.require("a block's rows have no multiple of 16 bytes", [](const Values& v) {
    return !v["STAGE"] || v["BLOCK"] / v["TEAM"] * v["ROWS"] % 4 == 0;
  });
  s.require("a block's rows are more than shared memory has", [=](const Values& v) {
    return !v["STAGE"] ||
           4 * columns * v["BLOCK"] / v["TEAM"] * v["ROWS"] + kOwnShared <= limits.shared_bytes;
  });
  return s;
}

// The cost of a row sum besides bytes, in cycles of a multiprocessor: its load-store units serve a
// warp one line of 128 bytes at a time (or one row of banks), and it issues four instructions.
inline double cycles(const tune::Values& v, wb::i64 rows, wb::i64 columns) {
  const int team = std::min(v["TEAM"], 32), teams = 32 / team;
  const double steps = std::ceil(static_cast<double>(columns) / (v["TEAM"] * v["WIDTH"]));
  const double warps = static_cast<double>(rows) * v["TEAM"] / 32;
  int busiest = 1, used[32] = {};
  for (int lane = 0; lane < 32; ++lane)
    busiest = std::max(busiest, ++used[(lane / team * columns + lane % team) % 32]);
  const double span = 1 + 4.0 * static_cast<double>(columns) * teams / 128;  // lines
  const double lines = std::min(span, teams * std::max(1.0, team * v["WIDTH"] / 32.0));
  const double issued =
      20 + 3 * std::log2(v["TEAM"]) + steps * (v["STAGE"] ? 3 : 7 + 4 * v["WIDTH"]);
  return warps * std::max(steps * (v["STAGE"] ? busiest : lines), issued / 4);
}

// A block lives as long as memory takes for its loads, one batch after the other. The number of
// blocks that run at a time, and the bytes of each, say how fast bytes can come, up to the
// bandwidth. The start of blocks, or their cycles, may take longer than that.
inline double predict(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  const BlockSize::Args p = BlockSize::sizes(c);
  const wb::Cost cost = BlockSize::cost(p);
  const wb::i64 rows = p.rows, columns = p.columns;
  const double batch = v["WIDTH"] * v["LOADS"];  // floats of a thread, for each row
  const int multiprocessors = std::max(limits.multiprocessors, 1);
  double blocks = 0, batches = 1, busy = 0, in_registers = 2 * batch;
  int shared = 1;
  if (p.op == Operation::add) {
    blocks = static_cast<double>(columns) / (v["BLOCK"] * batch);
  } else if (p.op == Operation::columns) {
    blocks = static_cast<double>(columns) / (v["BLOCK"] / v["LINES"] * v["WIDTH"]) * v["SPLIT"];
    batches = std::ceil(static_cast<double>(rows) / (v["LINES"] * v["LOADS"] * v["SPLIT"]));
  } else {
    const int of_block = v["BLOCK"] / v["TEAM"] * v["ROWS"];
    blocks = static_cast<double>(rows) / of_block;
    busy = cycles(v, rows, columns) / multiprocessors / kClock;
    if (v["STAGE"])
      shared = static_cast<int>(4 * columns * of_block) + kOwnShared;
    else
      batches = std::ceil(static_cast<double>(columns) / (v["TEAM"] * batch));
    in_registers *= v["ROWS"];
  }
  const double at_once =
      std::min({std::floor(1.0 * limits.threads / v["BLOCK"]), kMostBlocks,
                std::floor(limits.registers / ((24 + in_registers) * v["BLOCK"])),
                std::floor(1.0 * limits.shared_bytes_all / shared)});
  const double resident =
      std::clamp(std::ceil(blocks), 1.0, multiprocessors * std::max(at_once, 1.0));
  const double life =
      kBlock + kLatency * batches + (p.op == Operation::rows && v["STAGE"] ? kBlock : 0);
  const double bandwidth = limits.bandwidth > 0 ? limits.bandwidth : kBandwidth;
  return 2e-6 * (p.op == Operation::columns && v["SPLIT"] > 1 ? 2 : 1) +
         std::max({cost.bytes() / bandwidth, std::ceil(blocks / resident) * life, blocks / kStarts,
                   busy});
}

}  // namespace gpu
