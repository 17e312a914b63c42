// What follows from a row: its place under the roof, and how it compares with another.
#pragma once

#include <string>

#include "model/row.h"

namespace wb {

enum class Bound { unknown, memory, compute, link, launch };

// Where a row stands against the ceilings. All 0 when the row has no samples or no ceilings. The
// ceiling of a CPU's memory is what the triad had in turn with the row, where that was measured:
// others on the machine may use its memory, too.
struct Standing {
  double seconds = 0;           // median of the samples
  double gbps = 0, gflops = 0;  // achieved, from the least work (1e9 bytes/s, 1e9 FLOP/s)
  double intensity = 0;  // FLOP per byte of memory; of the link where the link bounds, as is gbps
  double floor = 0;      // seconds that the tightest ceiling allows
  double device_floor = 0;  // the same without the host link: what the kernels alone could reach
  double roof = 0;          // floor / seconds
  Bound bound = Bound::unknown;
  double delivered = 1;  // what memory had in turn with the row, of its ceiling
  // Over 103 % of the ceiling, and on a GPU not because the L2 still held what was written.
  bool suspect = false;
};
Standing standing(const Row& row, const Ceilings* ceilings);

// Memory bandwidth for this mix of reads and writes: between the measured read, 2R1W and copy.
double memory_ceiling(const Cost& cost, const Ceilings& ceilings);

// Baseline against variant from interleaved samples (harness/statistics.h does the numbers).
struct Comparison {
  double ratio = 0, low = 0, high = 0;  // baseline time / variant time; 95 % interval
  std::string verdict;                  // faster, slower, same, ambiguous
};
Comparison compare(const Row& baseline, const Row& variant);

// How a row stands against a peer, in a word with its mark: "*** ahead" (beyond noise), "++
// excellent" (>= 0.8 of its speed), "+ good" (>= 0.5), "~ fair" (>= 0.2), "- needs work".
std::string status(const Comparison& against_peer);

}  // namespace wb
