// One row of a result: a variant on a case, with its samples, and what follows from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/ceilings.h"
#include "model/trace.h"
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

// The rows of other libraries (--peer), by their variant names.
inline bool is_peer(const Row& row) { return row.variant == "pytorch"; }

// Whether variant `a` stands before `b` in a lesson: baseline, steps, optimized, library, exercise,
// solution, the rest; those of a kind by name.
bool lesson_order(const std::string& a, const std::string& b);

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

}  // namespace wb
