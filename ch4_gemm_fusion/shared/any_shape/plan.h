// The kernel that takes a product, by its shape: a model says how long each would take, and the
// least time wins. A pure function, so that it can be printed and tested.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "wb/axes.h"

namespace any_shape {

// TMA; loads by threads; ../fused_gemm.cuh; multiply-adds, where k is tiny.
enum class Way { aligned, unaligned, persistent, few_terms };

struct Plan {
  Way way;
  int rows, columns;  // of a tile
  int slices;         // of k, each of one block of a cluster
  bool padded;        // A and B are copied first, to rows that TMA can read
  int parts = 1;      // of k, each with sums in memory, which a second kernel adds up

  bool operator==(const Plan&) const = default;
  std::string text() const {
    const std::string tile = std::to_string(rows) + " x " + std::to_string(columns) + " tiles";
    return (padded ? "A and B copied to aligned rows; " : "") + tile +
           (way == Way::aligned     ? " by TMA"
            : way == Way::unaligned ? " loaded by threads"
            : way == Way::few_terms ? " by multiply-adds, as k is small"
                                    : " by TMA, stored while the next one is multiplied") +
           (slices > 1 ? ", k in " + std::to_string(slices) + " slices" : "") +
           (parts > 1 ? ", k in " + std::to_string(parts) + " parts, added up afterwards" : "");
  }
};

constexpr int kDepth = 64;  // of a step along k: rows of 128 bytes
constexpr int kTiles[][2] = {{64, 64},   {64, 128},  {128, 64}, {128, 128},
                             {128, 192}, {128, 256}, {192, 192}};
constexpr int kSlices[] = {1, 2, 3, 4, 6, 8, 16};
constexpr int kParts[] = {8, 16, 32, 64}, kPartRows = 64;  // with the smallest tile, and no TMA
constexpr int kMostTerms = 16, kFewRows = 64, kFewColumns = 256;  // of few_terms, and its tile
constexpr int kUnalignedSums = 128 * 128;                         // of its largest tile

// Blocks that a multiprocessor holds at once.
constexpr int blocks_of(Way way, int sums) {
  if (way == Way::unaligned) return sums <= 64 * 64 ? 3 : sums <= 64 * 128 ? 2 : 1;
  return way == Way::aligned && sums <= 128 * 128 ? 2 : 1;
}

// A stage has a step of A and B; so many fit into a block's shared memory, where TMA fills them.
constexpr int stage_bytes(int rows, int columns) { return 2 * kDepth * (rows + columns); }
constexpr int stages_of(int rows, int columns) {
  const int bytes = (blocks_of(Way::aligned, rows * columns) == 2 ? 112 : 224) * 1024;
  return std::min(8, bytes / stage_bytes(rows, columns));
}

// The figures of a GPU in the model: fitted to the times of some 2,500 launches, 77 shapes in all
// their plans, on an H100 (common/results/h100_any_shape.csv). A fit to one half of the shapes
// chose plans for the other half that took about 5 % longer than the best ones, on average.
struct Costs {
  double cycle = 1 / 1700.;                  // us
  double memory = 2.45e6;                    // bytes per us
  double load = 52, own_load = 16;           // bytes per cycle and multiprocessor
  double straddle = 1.45;                    // rows of no whole 128 bytes take so much longer
  double latency = 250, own_latency = 1400;  // cycles
  double start = 3300, sync = 1100;          // cycles of a block, and per slice
  double finish = 0.23, beside = 0.65;       // cycles per sum; of blocks side by side
  double copy_launch = 1.5, copy = 2.95e6;   // us, and bytes per us
  // Parts of k were not among these times, so they have to win clearly.
  double unsure = 1.25;
  double overlap = 0.5;  // of computing and moving: what the shorter one adds to the longer one
};

inline double predict(const Plan& p, double m, double n, double k, int multiprocessors,
                      const Costs& c = {}) {
  if (p.way == Way::few_terms) {  // issues a pair of multiply-adds per term, and some 16 more
    const double terms = k <= 4 ? 4 : k <= 8 ? 8 : kMostTerms, warps = m * std::ceil(n / 64);
    const double computing = warps * (2 * terms + 16) / (4 * multiprocessors) * c.cycle;
    const double storing = 2 * m * n / c.memory;
    return c.start * c.cycle + std::max(computing, storing) +
           c.overlap * std::min(computing, storing);
  }
  const bool own = p.way == Way::unaligned, persistent = p.way == Way::persistent;
  const double sums = 1.0 * p.rows * p.columns;
  const double steps = std::ceil(std::ceil(k / kDepth) / (p.slices * p.parts));
  // A step takes as long as the slowest of the tensor cores (2048 products per cycle), the way from
  // L2, and the latency of a load, which the steps that are on their way share.
  const double products = sums * kDepth / 2048;
  const double bytes = 2 * kDepth * (std::min<double>(p.rows, m) + std::min<double>(p.columns, n));
  const bool straddles = !own && !p.padded && std::fmod(k, kDepth) > 0;
  const double load = bytes / (own ? c.own_load : c.load) * (straddles ? c.straddle : 1);
  const double latency = own ? c.own_latency / 2 : c.latency / (stages_of(p.rows, p.columns) - 1);
  const auto round = [&](double blocks) {  // of one multiprocessor, at once
    const double step = std::max({blocks * products, blocks * load, latency + load});
    return steps * step + (persistent ? 0 : c.start) + (p.slices > 1 ? c.sync * p.slices : 0) +
           (1 + c.beside * (blocks - 1)) * sums * (persistent ? 0 : c.finish);
  };
  const int most = blocks_of(p.way, p.rows * p.columns);
  const double blocks = std::ceil(m / p.rows) * std::ceil(n / p.columns) * p.slices * p.parts;
  const double at_once = multiprocessors * most, whole = std::floor(blocks / at_once);
  const double rest = std::ceil((blocks - whole * at_once) / multiprocessors);
  const double rounds = whole * round(most) + (rest > 0 ? round(rest) : 0);
  const double computing = (rounds + (persistent ? c.start : 0)) * c.cycle;
  const double moving = 2 * (m * k + n * k + m * n) / c.memory;
  const double copying = p.padded ? c.copy_launch + 4 * (m + n) * k / c.copy : 0;
  const double adding = p.parts > 1 ? c.copy_launch + 8 * p.parts * m * n / c.memory : 0;
  const double all =
      copying + adding + std::max(computing, moving) + c.overlap * std::min(computing, moving);
  return p.parts > 1 ? c.unsure * all : all;
}

// `most`: blocks that the device can hold as a cluster.
inline std::vector<Plan> plans(wb::i64 n, wb::i64 k, int most = 16) {
  std::vector<Plan> all;
  const bool even = k % 8 == 0 && k > 0, ragged = k % kDepth != 0;
  for (const auto& [rows, columns] : kTiles)
    for (const int slices : kSlices) {
      if (slices > most || (slices > 1 && 2 * slices * kDepth > k)) continue;
      if (even) all.push_back({Way::aligned, rows, columns, slices, false});
      if (ragged && rows >= 128) all.push_back({Way::aligned, rows, columns, slices, true});
      if (rows * columns <= kUnalignedSums)
        all.push_back({Way::unaligned, rows, columns, slices, false});
    }
  for (const int parts : kParts)
    if (2 * parts * kDepth <= k)
      all.push_back({Way::unaligned, kPartRows, kPartRows, 1, false, parts});
  if (k <= kMostTerms) all.push_back({Way::few_terms, kFewRows, kFewColumns, 1, false});
  if (n % 8 == 0 && even) all.push_back({Way::persistent, 128, 256, 1, false});
  if (n % 8 == 0 && ragged) all.push_back({Way::persistent, 128, 256, 1, true});
  return all;
}

inline Plan choose(wb::i64 m, wb::i64 n, wb::i64 k, int multiprocessors, int most_slices = 16,
                   const Costs& c = {}) {
  Plan best{};
  double least = INFINITY;
  for (const Plan& plan : plans(n, k, most_slices)) {
    const double time = predict(plan, m, n, k, multiprocessors, c);
    if (time < least) least = time, best = plan;
  }
  return best;
}

}  // namespace any_shape
