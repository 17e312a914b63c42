// What a search may choose from on a CPU, and a model of the time.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../engine/tunable.h"
#include "block_size.h"

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
  const BlockSize::Args p = BlockSize::sizes(c);
  tune::Space s;
  s.add("THREADS", threads(cores), cores, /*at_launch=*/true)
      .means("threads that work at the same time");
  s.add("SHARES", {1, 4, 16, 64}, 1, /*at_launch=*/true)
      .means("pieces of work per thread; a thread that is done takes the next piece");
  s.require("one thread has no one to share with",
            [](const tune::Values& v) { return v["THREADS"] > 1 || v["SHARES"] == 1; });
  if (p.op == Operation::rows) {
    s.add("LANES", {1, 4, 8, 16, 32, 64}, 1).means("neighbouring elements of a row added at once");
    s.add("ROWS", {1, 2, 4, 8}, 1).means("rows that a thread sums at the same time");
    s.require("a row has fewer elements", [columns = p.columns](const tune::Values& v) {
      return v["LANES"] <= std::max<wb::i64>(columns, 1);
    });
  } else if (p.op == Operation::columns) {
    s.add("STRIP", {16, 64, 256, 1024, 4096}, 16).means("columns that a thread sums in one pass");
    s.add("DEPTH", {1, 2, 4, 8}, 1).means("rows that are added in one step");
    s.add("PAST", {0, 1}, 0).means("if 1, results are stored past the caches");
    s.require("there are fewer rows", [rows = p.rows](const tune::Values& v) {
      return v["DEPTH"] <= std::max<wb::i64>(rows, 1);
    });
  } else {
    s.add("LINES", {1, 2, 4, 8}, 1).means("cache lines that are added in one step");
    s.add("PAST", {0, 1}, 0).means("if 1, results are stored past the caches");
  }
  return s;
}

// The time of the bytes, at the part of the bandwidth that the threads get, or of the additions,
// where a sum takes the next one after four cycles.
inline double predict(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  constexpr double kClock = 3e9, kOfOne = 0.6, kBandwidth = 20e9, kPiece = 1e-6, kWake = 5e-6;
  const BlockSize::Args p = BlockSize::sizes(c);
  const wb::Cost cost = BlockSize::cost(p);
  const int threads = v["THREADS"];
  const bool past = p.op != Operation::rows && v["PAST"];
  const double bandwidth =
      (limits.bandwidth > 0 ? limits.bandwidth : kBandwidth) * std::min(1.0, kOfOne * threads);
  const double vector = limits.vector_bytes > 0 ? limits.vector_bytes / 4.0 : 8;
  double of_cycle = vector;  // additions
  if (p.op == Operation::rows) {
    const double fill = std::min<double>(v["LANES"], vector);
    of_cycle = std::min(2 * fill, v["LANES"] * v["ROWS"] / 4.0);
  }
  return (threads > 1) * kWake + kPiece * v["SHARES"] +
         std::max((cost.read + cost.write * (past ? 1 : 2)) / bandwidth,
                  cost.read / 4 / (of_cycle * kClock * threads));
}

}  // namespace cpu
