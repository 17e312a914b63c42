// The configurations of the CPU kernel, and a model of how long each takes.
#pragma once

#include <algorithm>
#include <cmath>

#include "../engine/tunable.h"

namespace tiles {

inline tune::Space space_cpu(const wb::Case&, const tune::Limits& limits) {
  const int registers = limits.vector_bytes == 64 ? 32 : 16;
  tune::Space space;
  space
      .add("MR", {2, 4, 6, 8, 10, 12, 14}, registers == 32 ? 12 : 6)  // as chapter 4's kernel
      .means("rows of the tile of C whose sums stay in registers")
      .add("NR", {1, 2, 3, 4}, 2)
      .means("vectors in a row of that tile")
      .add("MC", {16, 32, 48, 96, 192, 384}, 96)
      .means("rows of A in a packed block, which is one core's work")
      .add("KC", {64, 128, 256, 512, 1024}, 512)
      .means("length along k of the packed blocks of A and B")
      .add("NC", {256, 1024, 4096}, 4096)
      .means("columns of B in a packed block, which all cores share");
  space.require("sums, a row of B and a value of A need more registers than there are",
                [=](const tune::Values& v) { return v["MR"] * v["NR"] + v["NR"] < registers; });
  space.require("the block of A is larger than the second-level cache",
                [=](const tune::Values& v) { return 4.0 * v["MC"] * v["KC"] <= limits.l2_bytes; });
  return space;
}

// Seconds of a call. The unit is a multiply-add of vectors; a core starts two per cycle.
//   - A step of a tile takes its MR x NR multiply-adds and five more for the loop around them, but
//     at least eight, because a core keeps that many in flight. Tiles at the edges take as long as
//     whole ones.
//   - Cores with fewer blocks of rows wait for the others.
//   - A and B are read, and packed, at the bandwidth of memory. So is C, once. For each further
//     block of k, C comes from a cache, in a quarter of the time. All cores wait for each other
//     twice per block of B.
// The loop's cost and the quarter were fitted by hand to 70 configurations on one core with AVX-512
// (2026-11-25). The model does not know the code that the compiler makes of a tile, nor rows that
// collide in a cache.
inline double predict_cpu(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  constexpr double kLoop = 5, kAtOnce = 8, kCached = 0.25, kWaiting = 5e-6;
  const double m = c["m"], n = c["n"], k = c["k"], cores = limits.cores;
  const double mr = v["MR"], nr = v["NR"], lanes = limits.vector_bytes / 4.0;
  const double flops = limits.flops > 0 ? limits.flops : cores * 4 * lanes * 3e9;
  const double bandwidth = limits.bandwidth > 0 ? limits.bandwidth : 20e9;
  const double unit = 2 * lanes * cores / flops;

  const double mc = std::ceil(std::min<double>(v["MC"], m) / mr) * mr;
  const double tiles = mc / mr * std::ceil(n / (nr * lanes));  // of a block of rows
  const double blocks = std::ceil(std::ceil(m / mc) / cores);  // of the core that has most
  const double computing = blocks * tiles * k * std::max(mr * nr + kLoop, kAtOnce) * unit;

  const double down_k = std::ceil(k / v["KC"]), across = std::ceil(n / v["NC"]);
  const double moved =
      4 * (2 * m * k * across + 2 * n * k + m * n * (1 + 2 * kCached * (down_k - 1)));
  return computing + moved / bandwidth + down_k * across * kWaiting;
}

}  // namespace tiles
