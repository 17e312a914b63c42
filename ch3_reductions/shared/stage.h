// Short rows without gaps, a block's share of which waits in its shared memory: how many rows does
// a block take, and how many lanes does each row get? For softmax and norms, which then keep a row
// in registers.
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>

#include "wb/axes.h"

// Knobs.
constexpr int kStageThreads = 128;  // per block; small, so that some compute while others wait
constexpr int kStageBlocks = 8;  // that a multiprocessor has registers for, at least: 64 per thread
constexpr int kStageBytes = 8 << 10;  // of each array, per block
constexpr int kStageUnits = 16;       // that a lane keeps of a row, at most
constexpr int kStageWaves = 2;        // blocks per multiprocessor, at least, before they grow
constexpr int kStageBanks = 32;       // of shared memory, 4 bytes each
constexpr int kStageColumns = 32 * kStageUnits;  // up to which a warp keeps a row
static_assert(kStageThreads * kStageUnits * 4 <= kStageBytes, "a row per team always fits");

struct Stage {
  int rows;   // per block
  int lanes;  // per row
  int width;  // elements per access to shared memory, a unit: two of 16 bits, or one
};

// Up to kStageColumns; `late`: elements from an address that 16 divides to the first row.
inline Stage stage_rows(wb::i64 rows, wb::i64 columns, int element_bytes, wb::i64 late,
                        int multiprocessors) {
  const int width = element_bytes == 2 && (columns | late) % 2 == 0 ? 2 : 1;
  const int units = static_cast<int>(columns) / width;
  // The first lanes of the teams read `units` apart, so gcd / lanes of them meet in one bank. Two
  // may meet, because then a lane has more of a row.
  const int few =
      std::max((units + kStageUnits - 1) / kStageUnits, std::gcd(units, kStageBanks) / 2);
  const int lanes = static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::max(few, 1))));
  const int teams = kStageThreads / lanes;
  const wb::i64 most = kStageBytes / (teams * columns * element_bytes);
  const wb::i64 turns = rows / (wb::i64{teams} * kStageWaves * multiprocessors);
  return {static_cast<int>(teams * std::clamp<wb::i64>(turns, 1, most)), lanes, width};
}
