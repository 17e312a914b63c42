// Which kernel takes a product, by its shape: a model says how long each would take, and the least
// time wins. A pure function, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "wb/axes.h"

namespace any_shape {

enum class Way { aligned, unaligned, persistent };  // TMA; loads by threads; ../fused_gemm.cuh

struct Plan {
  Way way;
  int rows, columns;  // of a tile
  int slices;         // of k, each of one block of a cluster
  bool padded;        // A and B are copied first, to rows that TMA can read

  bool operator==(const Plan&) const = default;
  std::string text() const {
    const std::string tile = std::to_string(rows) + " x " + std::to_string(columns) + " tiles";
    return (padded ? "A and B copied to aligned rows; " : "") + tile +
           (way == Way::aligned     ? " by TMA"
            : way == Way::unaligned ? " loaded by threads"
                                    : " by TMA, stored while the next one is multiplied") +
           (slices > 1 ? ", k in " + std::to_string(slices) + " slices" : "");
  }
};

constexpr int kDepth = 64;  // of a step along k: rows of 128 bytes
constexpr int kTiles[][2] = {{64, 64}, {64, 128}, {128, 64}, {128, 128}, {128, 192}, {128, 256}};
constexpr int kSlices[] = {1, 2, 3, 4, 6, 8, 16};
constexpr int kUnalignedSums = 128 * 128;  // of its largest tile

// Blocks that a multiprocessor holds at once.
constexpr int blocks_of(Way way, int sums) {
  if (way == Way::unaligned) return sums <= 64 * 64 ? 3 : sums <= 64 * 128 ? 2 : 1;
  return way == Way::aligned && sums <= 128 * 128 ? 2 : 1;
}

struct Costs {
  double cycle = 1 / 1700.;         // us
  double memory = 2.6e6;            // bytes per us
  double load = 50, own_load = 25;  // bytes per cycle and multiprocessor
  double latency = 1100, own_latency = 1100;
  double start = 2500, own_start = 2500;  // cycles
  double finish = 0.1;                    // cycles per sum
  double slice = 0.1;                     // cycles per sum of a slice
  double sync = 500;                      // of a cluster
  double launch = 4, pad_launch = 2.5, pad = 2.2e6;
};

inline double predict(const Plan& p, double m, double n, double k, int multiprocessors,
                      const Costs& c = {}) {
  const double sums = 1.0 * p.rows * p.columns;
  const double down = std::ceil(m / p.rows), across = std::ceil(n / p.columns);
  const double steps = std::ceil(std::ceil(k / kDepth) / p.slices);
  const bool own = p.way == Way::unaligned;
  const int most = blocks_of(p.way, p.rows * p.columns);
  const double products = sums * kDepth / 2048;
  const double bytes = 2 * kDepth * (std::min<double>(p.rows, m) + std::min<double>(p.columns, n));
  const double load = bytes / (own ? c.own_load : c.load);
  const double stages =
      p.way == Way::unaligned
          ? 2
          : std::min(8., std::floor(224 * 1024. / most / (2 * kDepth * (p.rows + p.columns))));
  const double latency = (own ? c.own_latency : c.latency) / (stages - 1);
  const double once = p.way == Way::persistent ? 0 : sums * c.finish;
  const auto round = [&](double blocks) {
    const double step = std::max({blocks * products, blocks * load, latency + load});
    return steps * step + (own ? c.own_start : c.start) + blocks * once +
           (p.slices > 1 ? c.sync + blocks * sums * c.slice : 0);
  };
  const double blocks = down * across * p.slices, at_once = multiprocessors * most;
  const double whole = std::floor(blocks / at_once);
  const double rest = std::ceil((blocks - whole * at_once) / multiprocessors);
  const double computing = (whole * round(most) + (rest > 0 ? round(rest) : 0)) * c.cycle;
  const double moved = 2 * (m * k + n * k + m * n) / c.memory;
  const double padding = p.padded ? c.pad_launch + 4 * (m + n) * k / c.pad : 0;
  return c.launch + padding + std::max(computing, moved);
}

inline std::vector<Plan> plans(wb::i64 n, wb::i64 k) {
  std::vector<Plan> all;
  const bool even = k % 8 == 0 && k > 0;
  for (const auto& [rows, columns] : kTiles)
    for (const int slices : kSlices) {
      if (slices > 1 && slices * kDepth > k) continue;
      if (k > 0) {
        if (even) all.push_back({Way::aligned, rows, columns, slices, false});
        if (k % kDepth != 0) all.push_back({Way::aligned, rows, columns, slices, true});
      }
      if (rows * columns <= kUnalignedSums)
        all.push_back({Way::unaligned, rows, columns, slices, false});
    }
  if (n % 8 == 0 && even) all.push_back({Way::persistent, 128, 256, 1, false});
  if (n % 8 == 0 && k % kDepth != 0) all.push_back({Way::persistent, 128, 256, 1, true});
  return all;
}

inline Plan choose(wb::i64 m, wb::i64 n, wb::i64 k, int multiprocessors, const Costs& c = {}) {
  Plan best{};
  double least = INFINITY;
  for (const Plan& plan : plans(n, k)) {
    const double time = predict(plan, m, n, k, multiprocessors, c);
    if (time < least) least = time, best = plan;
  }
  return best;
}

}  // namespace any_shape
