// One row of a result: a variant on a case, with its samples, and what follows from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/ceilings.h"
#include "harness/trace.h"
#include "wb/problem.h"

namespace wb {

struct Row {
  std::string lesson, variant, backend, label;  // label: the case, "m=64,n=64". The driver names a
                                                // variant "program" for a program that crashed.
  std::string clock = "device";                 // "device" or "wall"
  std::string cache = "cold";                   // "cold" or "hot"
  std::string date;                             // UTC, 2026-11-20, when it was measured
  std::string timer = "events";                 // "events", "cupti", "host": what read the time
  std::string sweep;  // the axis this row is a point of; empty: a case of its own
  double at = 0;      // where on that axis
  std::string show;   // what a curve shows: "time", "bandwidth", "flops", "item"
  Cost cost;
  double items = 0;    // how many of `item` there are in a launch; 0: nothing is counted
  std::string item;    // "kernel"
  std::string per;     // "item": show seconds per item; "second": show items per second
  double enqueue = 0;  // host seconds until a launch returned (CUDA, wall clock); 0: not taken
  double memory = 0;   // bytes/s of a triad in turn with the samples (CPU); 0: not taken
  std::vector<double> samples;   // seconds; interleaved with the other variants of the case
  std::string error;             // why the answer is wrong; then there is no speed
  std::string skipped;           // why it could not run here
  std::string note;              // throttled, at the timing floor
  std::optional<Split> split;    // of the traced pass; goodput = split->compute
  double useful = 0, total = 0;  // seconds of compute and of wall time per traced iteration
  std::string no_goodput;        // why there is no split
};

inline bool has_speed(const Row& row) {
  return row.error.empty() && row.skipped.empty() && !row.samples.empty();
}

// A whole result: what a lesson program writes, what the driver merges, what common/results holds.
struct Results {
  std::string machine;  // host name is never stored; "NVIDIA H200", "2-core CPU"
  std::string version;
  std::vector<Ceilings> ceilings;  // one per backend
  std::vector<Row> rows;
  const Ceilings* ceilings_of(const std::string& backend) const;
};

// Puts other measurements of the same devices into `into`. A case that is in both is taken from
// `from` as a whole, for its rows were measured in turn; of two ceilings the better one stays.
// Throws Failure (code 2) when a backend's device is another one.
void merge(Results& into, const Results& from);

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

// The rows of other libraries (--peer), by their variant names.
inline bool is_peer(const Row& row) { return row.variant == "pytorch"; }

// How a row stands against a peer, in a word with its mark: "*** ahead" (beyond noise), "++
// excellent" (>= 0.8 of its speed), "+ good" (>= 0.5), "~ fair" (>= 0.2), "- needs work".
std::string status(const Comparison& against_peer);

}  // namespace wb
