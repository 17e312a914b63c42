// What may be chosen for the GPU kernel, and a model of how long a choice takes.
#pragma once

#include <algorithm>
#include <cmath>

#include "../engine/tunable.h"
#include "shape.h"

namespace tiles {

inline Shape shape(const tune::Values& v) {
  return {v["BM"], v["BN"], v["BK"], v["STAGES"], v["CONSUMERS"], v["BLOCKS"], v["BOXES"]};
}

inline tune::Space space(const wb::Case&, const tune::Limits& limits) {
  constexpr Shape d = kDefault;
  tune::Space space;
  space.add("BM", {64, 128, 192, 256}, d.bm)
      .add("BN", {64, 128, 192, 256}, d.bn)
      .add("BK", {64, 128}, d.bk)
      .add("STAGES", {2, 3, 4, 5, 6, 7, 8}, d.stages)
      .add("CONSUMERS", {1, 2, 3, 4}, d.consumers)
      .add("BLOCKS", {1, 2, 3}, d.blocks)
      .add("BOXES", {0, 1, 2}, d.boxes)
      .add("GROUP", {1, 2, 4, 8, 16, 32}, kDefaultGroup, true);
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

// Seconds of a launch. Roofline and waves: a multiprocessor works off its blocks in rounds, and a
// round takes as long as the slowest of
//   - the tensor cores: 4096 products a cycle; wgmma reads A again for each bn columns,
//   - the way from L2 to shared memory, and
//   - the latency of a step, which `stages` steps share, whatever the step is like.
// Then C leaves, which only another block on the same multiprocessor hides. Below all that lies
// memory: what the tiles of a round touch, which is least where they form a square (GROUP), or what
// the matrices have, where L2 holds them. The constants are of an H200 (2026-11-25).
inline double predict(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  constexpr double kL2BytesPerCycle = 40, kStoreBytesPerCycle = 24, kLatency = 1100, kStart = 3e-6;
  const Shape s = shape(v);
  const double m = c["m"], n = c["n"], k = c["k"], all = limits.multiprocessors;
  const double flops = limits.flops > 0 ? limits.flops : 700e12;
  const double bandwidth = limits.bandwidth > 0 ? limits.bandwidth : 4e12;
  const double cycle = 2 * 4096 * all / flops;

  const double down = std::ceil(m / s.bm), across = std::ceil(n / s.bn), tiles = down * across;
  const double steps = std::ceil(k / s.bk);
  const double products = 1.0 * s.bm * s.bn * s.bk / 4096 * (s.bn + 24) / s.bn;
  const double loads = 2.0 * (s.bm + s.bn) * s.bk / kL2BytesPerCycle;
  const double stores = 2.0 * s.bm * s.bn / kStoreBytesPerCycle * (s.boxes ? 1 : 2) + kLatency;
  const auto round = [&](double blocks) {  // on a multiprocessor, at once
    const double step = std::max({blocks * products, blocks * loads, kLatency / (s.stages - 1)});
    return steps * step + kLatency + stores / blocks;
  };
  const double whole = std::floor(tiles / (all * s.blocks)), rest = tiles - whole * all * s.blocks;
  const double computing =
      (whole * round(s.blocks) + (rest > 0 ? round(std::ceil(rest / all)) : 0)) * cycle;

  const double at_once = std::min(tiles, all * s.blocks), rows = std::min<double>(v["GROUP"], down);
  const double touched = tiles / at_once * 2 * k * (rows * s.bm + std::ceil(at_once / rows) * s.bn);
  const double once = 2 * k * (m + n);
  const double read = once < limits.l2_bytes / 2 ? once : std::max(once, touched);
  return kStart + std::max(computing, (read + 2 * m * n) / bandwidth);
}

}  // namespace tiles
