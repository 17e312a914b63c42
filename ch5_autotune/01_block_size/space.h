// What a search may choose from, and a model of the time: the bytes, and what can keep a processor
// from moving them.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "../engine/tunable.h"

inline std::string_view op(const wb::Case& c) { return c.word("op"); }

// Bytes that are read, and that are written.
struct Bytes {
  explicit Bytes(const wb::Case& c) {
    const double rows = static_cast<double>(c.get("rows", 1));
    const double columns = static_cast<double>(c.get("columns", c.get("elements", 0)));
    read = 4 * rows * columns * (op(c) == "add" ? 2 : 1);
    written = 4 * (op(c) == "rows" ? rows : columns);
  }
  double read, written;
};

namespace gpu {

constexpr double kLatency = 800e-9;  // seconds until memory answers
constexpr double kBlock = 600e-9;    // seconds that a block takes besides
constexpr double kStarts = 1.6e9;    // blocks that a GPU starts in a second
constexpr double kMostBlocks = 32;   // of a multiprocessor
constexpr double kClock = 1.7e9;     // of a multiprocessor
constexpr double kBandwidth = 4e12;  // where none was measured
constexpr int kOwnShared = 2048;     // bytes that a kernel and the system have beside the rows

// A default is what one writes first.
inline tune::Space space(const wb::Case& c, const tune::Limits& limits) {
  tune::Space s;
  s.add("BLOCK", {64, 128, 256, 512, 1024}, 256);
  s.add("WIDTH", {1, 2, 4}, 1);
  s.add("LOADS", {1, 2, 4, 8}, 1);
  if (op(c) == "columns") {
    s.add("LINES", {1, 2, 4, 8, 16, 32}, 1);
    s.add("SPLIT", {1, 2, 4, 8, 16, 32, 64}, 1, /*at_launch=*/true);
    s.require("a block has a warp side by side", [](const tune::Values& v) {
      return v["BLOCK"] / v["LINES"] >= 32 || v["LINES"] == 1;
    });
    s.require("there are fewer rows", [rows = c.get("rows", 0)](const tune::Values& v) {
      return v["LINES"] * v["LOADS"] * v["SPLIT"] <= std::max<wb::i64>(rows, 1);
    });
  }
  if (op(c) != "rows") return s;
  s.add("TEAM", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, 32);
  s.add("ROWS", {1, 2, 4, 8}, 1);
  s.add("STAGE", {0, 1}, 0);
  const wb::i64 columns = c.get("columns", 0);
  s.require("a team is a part of a warp, or the block",
            [](const tune::Values& v) { return v["TEAM"] <= 32 || v["TEAM"] == v["BLOCK"]; });
  s.require("half of a block has nothing to load", [=](const tune::Values& v) {
    return v["TEAM"] <= 32 || v["TEAM"] / 2 * v["WIDTH"] < columns;
  });
  s.require("half of the loads have nothing to load", [=](const tune::Values& v) {
    return v["LOADS"] == 1 || v["TEAM"] * v["WIDTH"] * v["LOADS"] / 2 < columns;
  });
  s.require("more registers than there are", [](const tune::Values& v) {
    return v["STAGE"] || v["WIDTH"] * v["LOADS"] * v["ROWS"] <= 64;
  });
  s.require("rows in shared memory are read one float at a time", [](const tune::Values& v) {
    return !v["STAGE"] || (v["WIDTH"] == 1 && v["LOADS"] == 1);
  });
  s.require("a block's rows have no multiple of 16 bytes", [](const tune::Values& v) {
    return !v["STAGE"] || v["BLOCK"] / v["TEAM"] * v["ROWS"] % 4 == 0;
  });
  s.require("a block's rows are more than shared memory has", [=](const tune::Values& v) {
    return !v["STAGE"] ||
           4 * columns * v["BLOCK"] / v["TEAM"] * v["ROWS"] + kOwnShared <= limits.shared_bytes;
  });
  return s;
}

// What a row sum costs besides bytes, in cycles of a multiprocessor: its load-store units serve a
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

// A block lives as long as memory takes for its loads, one batch after the other. How many can be
// there at a time, and the bytes of each, say how fast bytes can come; they do not come faster than
// the bandwidth. Or the start of blocks, or the cycles, take longer.
inline double predict(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  const Bytes bytes(c);
  const wb::i64 rows = c.get("rows", 1), columns = c.get("columns", c.get("elements", 0));
  const double batch = v["WIDTH"] * v["LOADS"];  // floats of a thread, for each row
  const int multiprocessors = std::max(limits.multiprocessors, 1);
  double blocks = 0, batches = 1, busy = 0, in_registers = 2 * batch;
  int shared = 1;
  if (op(c) == "add") {
    blocks = static_cast<double>(columns) / (v["BLOCK"] * batch);
  } else if (op(c) == "columns") {
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
  const double resident = std::min(std::ceil(blocks), multiprocessors * std::max(at_once, 1.0));
  const double life = kBlock + kLatency * batches + (op(c) == "rows" && v["STAGE"] ? kBlock : 0);
  const double bandwidth = limits.bandwidth > 0 ? limits.bandwidth : kBandwidth;
  return 2e-6 * (op(c) == "columns" && v["SPLIT"] > 1 ? 2 : 1) +
         std::max({(bytes.read + bytes.written) / bandwidth, std::ceil(blocks / resident) * life,
                   blocks / kStarts, busy});
}

}  // namespace gpu

namespace cpu {

// 1, 2, 4 ... below the number of cores, and that number.
inline std::vector<int> threads(int cores) {
  std::vector<int> all;
  for (int n = 1; n < cores; n *= 2) all.push_back(n);
  all.push_back(cores);
  return all;
}

inline tune::Space space(const wb::Case& c, const tune::Limits& limits) {
  const int cores = std::max(limits.cores, 1);
  tune::Space s;
  s.add("THREADS", threads(cores), cores, /*at_launch=*/true);
  s.add("SHARES", {1, 4, 16, 64}, 1, /*at_launch=*/true);
  s.require("one thread has no one to share with",
            [](const tune::Values& v) { return v["THREADS"] > 1 || v["SHARES"] == 1; });
  if (op(c) == "rows") {
    s.add("LANES", {1, 4, 8, 16, 32, 64}, 1);
    s.add("ROWS", {1, 2, 4, 8}, 1);
    s.require("a row has fewer elements", [columns = c.get("columns", 0)](const tune::Values& v) {
      return v["LANES"] <= std::max<wb::i64>(columns, 1);
    });
  } else if (op(c) == "columns") {
    s.add("STRIP", {16, 64, 256, 1024, 4096}, 16);
    s.add("DEPTH", {1, 2, 4, 8}, 1);
    s.add("PAST", {0, 1}, 0);
    s.require("there are fewer rows", [rows = c.get("rows", 0)](const tune::Values& v) {
      return v["DEPTH"] <= std::max<wb::i64>(rows, 1);
    });
  } else {
    s.add("LINES", {1, 2, 4, 8}, 1);
    s.add("PAST", {0, 1}, 0);
  }
  return s;
}

// The bytes over the bandwidth, of which one thread gets a part; or the additions, of which a sum
// takes the next one after four cycles.
inline double predict(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  constexpr double kClock = 3e9, kOfOne = 0.6, kBandwidth = 20e9, kPiece = 1e-6, kWake = 5e-6;
  const Bytes bytes(c);
  const int threads = v["THREADS"];
  const bool past = op(c) != "rows" && v["PAST"];
  const double bandwidth =
      (limits.bandwidth > 0 ? limits.bandwidth : kBandwidth) * std::min(1.0, kOfOne * threads);
  const double vector = limits.vector_bytes > 0 ? limits.vector_bytes / 4.0 : 8;
  double of_cycle = vector;  // additions
  if (op(c) == "rows") {
    const double fill = std::min<double>(v["LANES"], vector);
    of_cycle = std::min(2 * fill, v["LANES"] * v["ROWS"] / 4.0);
  }
  return (threads > 1) * kWake + kPiece * v["SHARES"] +
         std::max((bytes.read + bytes.written * (past ? 1 : 2)) / bandwidth,
                  bytes.read / 4 / (of_cycle * kClock * threads));
}

}  // namespace cpu
