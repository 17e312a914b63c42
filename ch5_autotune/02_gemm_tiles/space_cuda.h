// The configurations of the GPU's kernels, and a model of how long each takes.
#pragma once

#include <algorithm>
#include <cmath>

#include "../engine/tunable.h"
#include "../shared/space_mma.h"
#include "shape.h"

namespace tiles {

inline tune::Space space_wgmma(const tune::Limits& limits) {
  tune::Space space;
  space.add("BM", {64, 128, 192, 256}, 128)
      .means("rows of the tile of C that a block computes")
      .add("BN", {64, 128, 192, 256}, 256)
      .means("columns of that tile")
      .add("BK", {64, 128}, 64)
      .means("length along k of one step")
      .add("STAGES", {2, 3, 4, 5, 6, 7, 8}, 4)
      .means("steps in shared memory, or on their way there, at once")
      .add("CONSUMERS", {1, 2, 3, 4}, 2)
      .means("warpgroups of a block that multiply; one more loads")
      .add("BLOCKS", {1, 2, 3}, 1)
      .means("blocks that a multiprocessor runs at once")
      .add("BOXES", {0, 1, 2}, 2)
      .means("boxes in shared memory through which a warpgroup stores C; if 0, from registers")
      .add("GROUP", {1, 2, 4, 8, 16, 32}, 16, true)
      .means("rows of tiles that are computed together, for the L2 cache");
  const auto require = [&](const char* reason, auto holds) {
    space.require(reason, [=](const tune::Values& v) { return holds(shape(v)); });
  };
  require("a consumer has whole slabs of 64 rows",
          [](const Shape& s) { return s.bm % (64 * s.consumers) == 0; });
  require("more threads than a multiprocessor has",
          [=](const Shape& s) { return s.threads() * s.blocks <= limits.threads; });
  require("more shared memory than a block may have",
          [=](const Shape& s) { return s.shared_bytes() <= limits.shared_bytes; });
  require("more shared memory than a multiprocessor has", [=](const Shape& s) {
    return s.blocks * (s.shared_bytes() + 1024) <= limits.shared_bytes_all;  // CUDA's own: 1 KiB
  });
  require("a wgmma as wide needs more registers than a thread starts with",
          [](const Shape& s) { return s.bn / 2 + 26 <= s.registers_at_start(); });  // ptxas, C7602
  require("the sums leave no registers for anything else",
          [](const Shape& s) { return s.sums() + 32 <= s.registers(); });
  return space;
}

// Seconds of a launch: a roofline with rounds in it. Each multiprocessor computes its blocks in
// rounds, and all wait for the one that has most. A step takes as long as the slowest of
//   - the tensor cores: 2048 products per cycle,
//   - the loads from L2 to shared memory, and
//   - the latency of a load, which the stages in flight share.
// Then the tile is stored, which is slow straight from registers. All of it takes at least as long
// as memory: for each round the bytes that its tiles touch, which are least when the tiles form a
// square (GROUP), or for all rounds the bytes of the matrices, if L2 holds them. Constants: cycles
// and bytes per cycle, fitted by hand to all times at this lesson's sizes on an H200 (2026-11-25).
inline double predict_wgmma(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  constexpr double kLoading = 64, kStoring = 56, kStoringDirectly = 7, kLatency = 1050;
  const Shape s = shape(v);
  const double m = c["m"], n = c["n"], k = c["k"], all = limits.multiprocessors;
  const double cycle = 2 * 2048 * all / (limits.flops > 0 ? limits.flops : 750e12);
  const double bandwidth = limits.bandwidth > 0 ? limits.bandwidth : 4.2e12;

  const double down = std::ceil(m / s.bm), across = std::ceil(n / s.bn), tiles = down * across;
  const double products = 1.0 * s.bm * s.bn * s.bk / 2048;
  const double load = 2.0 * (s.bm + s.bn) * s.bk / kLoading;
  const double store = 2.0 * s.bm * s.bn / (s.boxes ? kStoring : kStoringDirectly);
  const auto round = [&](double blocks) {  // of one multiprocessor, at once
    const double step =
        std::max({blocks * products, blocks * load, (kLatency + load) / (s.stages - 1)});
    return std::ceil(k / s.bk) * step + kLatency + store;
  };
  const double at_once = all * s.blocks, whole = std::floor(tiles / at_once);
  const double rest = std::ceil((tiles - whole * at_once) / all);
  const double computing = (whole * round(s.blocks) + (rest > 0 ? round(rest) : 0)) * cycle;

  const double together = std::min(tiles, at_once), rows = std::min<double>(v["GROUP"], down);
  const double touched =
      tiles / together * 2 * k * (rows * s.bm + std::ceil(together / rows) * s.bn);
  const double once = 2 * k * (m + n),
               read = once < limits.l2_bytes / 2 ? once : std::max(once, touched);
  return 2e-6 + std::max(computing, (read + 2 * m * n) / bandwidth);  // an empty launch takes 2 us
}

inline tune::Space space_cuda(const wb::Case& c, const tune::Limits& limits) {
  return by_wgmma(c, limits) ? space_wgmma(limits) : space_mma(limits);
}
inline double predict_cuda(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  return by_wgmma(c, limits) ? predict_wgmma(v, c, limits) : predict_mma(v, c, limits);
}

}  // namespace tiles
