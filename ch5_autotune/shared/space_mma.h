// Lesson 02_gemm_tiles on a card without wgmma: the configurations of the kernel by mma.sync
// (candidate_mma.cuh), and a model of how long each takes. Readers of the lesson need not read it.
#pragma once

#include <algorithm>
#include <cmath>

#include "../engine/tunable.h"

namespace tiles {

struct MmaShape {  // of the kernel by mma.sync
  int bm, bn, bk, stages;
  int warp_rows;  // of a tile, that a warp makes, 64 columns wide
  int blocks;     // on a multiprocessor at once

  constexpr int threads() const { return 32 * (bm / warp_rows) * (bn / 64); }
  constexpr int shared_bytes() const { return 2 * stages * (bm + bn) * bk; }
  constexpr int sums() const { return 2 * warp_rows; }  // of a thread
  // With those for 16 columns of A and of B, twice, and for addresses.
  constexpr int registers() const { return sums() + warp_rows / 2 + 32 + 40; }
};

template <class Values> constexpr MmaShape mma_shape(const Values& v) {
  return {v["BM"], v["BN"], v["BK"], v["STAGES"], v["WARP_ROWS"], v["BLOCKS"]};
}

// Which of the two kernels computes a case: the same rule as hopper::obstacle() at a launch.
inline bool by_wgmma(const wb::Case& c, const tune::Limits& limits) {
  const wb::i64 m = c.get("m", 8), n = c.get("n", 8), k = c.get("k", 8);
  return limits.compute == 90 && n % 8 == 0 && k % 8 == 0 && m * n * k > 0 &&
         std::max({m, n, k}) <= 1 << 22;
}

inline tune::Space space_mma(const tune::Limits& limits) {
  tune::Space space;
  space.add("BM", {64, 128, 256}, 128)
      .add("BN", {64, 128, 256}, 256)
      .add("BK", {32, 64}, 32)
      .add("STAGES", {2, 3, 4, 5, 6}, 4)
      .add("WARP_ROWS", {16, 32, 64}, 64)
      .add("BLOCKS", {1, 2, 3, 4}, 1)
      .add("GROUP", {1, 2, 4, 8, 16, 32}, 16, true);
  const auto require = [&](const char* reason, auto holds) {
    space.require(reason, [=](const tune::Values& v) { return holds(mma_shape(v)); });
  };
  require("more threads than a block may have",
          [](const MmaShape& s) { return s.threads() <= 1024; });
  require("more threads than a multiprocessor has",
          [=](const MmaShape& s) { return s.threads() * s.blocks <= limits.threads; });
  require("more threads than 16-byte pieces in a tile of A or B",
          [](const MmaShape& s) { return s.threads() * 8 <= std::min(s.bm, s.bn) * s.bk; });
  require("more shared memory than a block may have",
          [=](const MmaShape& s) { return s.shared_bytes() <= limits.shared_bytes; });
  require("more shared memory than a multiprocessor has", [=](const MmaShape& s) {
    return s.blocks * (s.shared_bytes() + 1024) <= limits.shared_bytes_all;  // CUDA's own: 1 KiB
  });
  require("more registers than a multiprocessor has", [=](const MmaShape& s) {
    return s.threads() * s.blocks * s.registers() <= limits.registers;
  });
  return space;
}

// Seconds of a launch: rounds, as for the other kernel. A step takes as long as the slowest of
//   - the tensor cores, at their peak,
//   - shared memory: the copies write each number once, and each warp reads WARP_ROWS rows of A and
//     64 columns of B,
//   - the loads from L2, and
//   - the latency of a load, which the stages in flight share.
// Then the tile is stored, 8 bytes per clock. The constants come from NVIDIA's documents (128 bytes
// per clock of shared memory, 64 from L2), an assumed clock of 1.5 GHz and a guessed latency. They
// were not fitted to measurements.
inline double predict_mma(const tune::Values& v, const wb::Case& c, const tune::Limits& limits) {
  constexpr double kClock = 1.5e9, kShared = 128, kLoading = 64, kStoring = 8, kLatency = 700;
  const MmaShape s = mma_shape(v);
  const double m = c["m"], n = c["n"], k = c["k"], all = limits.multiprocessors;
  const double flops = limits.flops > 0 ? limits.flops : all * 2 * 512 * kClock;
  const double bandwidth = limits.bandwidth > 0 ? limits.bandwidth : 600e9;

  const double down = std::ceil(m / s.bm), across = std::ceil(n / s.bn), tiles = down * across;
  const double products = 2.0 * s.bm * s.bn * s.bk * all / flops;
  const double copied = 2.0 * (s.bm + s.bn) * s.bk;
  const double read = 2.0 * (s.warp_rows + 64) * s.bk * (s.threads() / 32);
  const double shared = (copied + read) / kShared / kClock, load = copied / kLoading / kClock;
  const auto round = [&](double blocks) {  // of one multiprocessor, at once
    const double step = std::max({blocks * products, blocks * shared, blocks * load,
                                  (kLatency / kClock + load) / (s.stages - 1)});
    return std::ceil(k / s.bk) * step + (kLatency + 2.0 * s.bm * s.bn / kStoring) / kClock;
  };
  const double at_once = all * s.blocks, whole = std::floor(tiles / at_once);
  const double rest = std::ceil((tiles - whole * at_once) / all);
  const double computing = whole * round(s.blocks) + (rest > 0 ? round(rest) : 0);

  const double together = std::min(tiles, at_once), rows = std::min<double>(v["GROUP"], down);
  const double touched =
      tiles / together * 2 * k * (rows * s.bm + std::ceil(together / rows) * s.bn);
  const double once = 2 * k * (m + n);
  const double moved = once < limits.l2_bytes / 2 ? once : std::max(once, touched);
  return 2e-6 + std::max(computing, (moved + 2 * m * n) / bandwidth);
}

}  // namespace tiles
