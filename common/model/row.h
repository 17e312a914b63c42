// One row of a result: a variant on a case, with its samples.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ceilings.h"
#include "model/counts.h"
#include "model/hardware.h"
#include "model/trace.h"
#include "wb/problem.h"

namespace wb {

// What became of a row. Only `ok` has a speed.
enum class Status {
  ok,
  wrong,      // its answer
  failed,     // an error of the variant, of a library or of a file
  skipped,    // it can't run on this machine
  crashed,    // its program ended by a signal, or without results
  hung,       // its program was stopped at the time limit
  not_built,  // its source does not compile
  cheats,     // an exercise does what no honest mistake does
};
inline constexpr const char* kStatuses[] = {"ok",      "wrong", "failed",    "skipped",
                                            "crashed", "hung",  "not built", "cheats"};
inline const char* name(Status status) { return kStatuses[static_cast<int>(status)]; }

// What a variant is in its lesson. Its name says so, and names are what results keep.
enum class VariantRole {
  baseline,
  step,  // step1_tile, step2_...
  optimized,
  all_shapes,
  library,   // or library_openblas, one of several
  exercise,  // a student's, which is judged from outside
  solution,  // shown to those who name it
  tuned,     // what a search compiles
  program,   // none: the driver's row of a whole program that failed
  other
};
VariantRole role_of(std::string_view variant);
const char* name(VariantRole role);
// A lesson's name does not stand for these: who wants them says so.
inline bool is_extra(std::string_view variant) {
  const VariantRole role = role_of(variant);
  return role == VariantRole::exercise || role == VariantRole::solution;
}

// Which rows belong side by side: those with equal keys.
struct CaseKey {
  std::string lesson, backend;  // ch1_x/02_gemm, cuda
  Case axes;
  std::string cache = "cold";  // or "hot"
  std::string sweep;           // the axis that the row is a point of; empty: a case of its own
  bool operator==(const CaseKey&) const = default;
};
// For tables of cases in std::unordered_map: a file of results may hold many thousands.
struct CaseHash {
  std::size_t operator()(const CaseKey& key) const;
};

// What a backend may take of a launch beside its time. One more takes a line here (its field in
// files) and in report/quantity.cpp (how it is shown), and the backend that takes it.
enum class Counter {
  enqueue,
  switches,
  requests,
  sectors,
  used,
  cycles,
  lanes,
  one_address,
  barriers,
  calls
};
inline constexpr const char* kCounters[] = {
    "enqueue_seconds",            // of the host until a launch had returned, by the wall clock
    "voluntary_switches",         // of threads that gave their core away, to wait
    "requests",                   // of warps, to global and shared memory
    "sectors_per_request",        // of those to global memory
    "used_of_moved_bytes",        // of these sectors' bytes, those that lanes asked for
    "shared_cycles_per_request",  // over the least that accesses of its width need: 1 is without
                                  // bank conflicts
    "active_lanes",               // of a request
    "atomics_on_one_address",     // at most
    "barriers_per_block",         //
    "runtime_calls"               // that start work, or get or free memory; a graph is one
};
template <class T> struct Counters : std::array<T, std::size(kCounters)> {
  T& operator[](Counter c) { return this->at(static_cast<std::size_t>(c)); }
  const T& operator[](Counter c) const { return this->at(static_cast<std::size_t>(c)); }
};

// What a device that counts says of a launch, as counters.
Counters<double> counters_of(const Counts& counts);

// How far an answer was from the reference at worst, of all elements that were compared.
struct WorstError {
  double absolute = 0, relative = 0;  // |got - want|; that over |want|, where want is not 0
  double of_allowed = 0;              // |got - want| over what the tolerance allows
  void raise(const WorstError& other) {
    absolute = std::max(absolute, other.absolute);
    relative = std::max(relative, other.relative);
    of_allowed = std::max(of_allowed, other.of_allowed);
  }
};

struct Row : CaseKey {
  std::string variant;           // its name, see VariantRole
  std::string peer;              // of another library (--peer): how people call it; else empty
  std::string clock = "device";  // "device" or "wall"
  std::string date;              // UTC, 2026-11-20, when it was measured
  std::string timer = "events";  // "events", "cupti", "host": what read the time
  Show show = Show::time;        // what a curve of its sweep shows
  Cost cost;
  double items = 0;             // how many of `item` there are in a launch; 0: nothing is counted
  std::string item;             // "kernel"
  bool rate = false;            // show items per second rather than seconds per item
  Counters<double> counters{};  // a launch's median; 0: none, or not taken
  std::vector<LineCounts> lines = {};  // where a device counts instead of timing: its source
  double memory = 0;                   // bytes/s of a triad in turn with the samples; 0: not taken
  std::vector<double> samples;         // seconds; interleaved with the other variants of the case
  Status status = Status::ok;
  std::string reason;  // why it is not ok
  std::optional<WorstError> error;
  double bound = 0;            // of error->relative, where a lesson is about errors; else 0
  std::string note;            // throttled, at the timing floor
  std::optional<Split> split;  // of the traced pass; goodput = split->compute
  double total = 0;            // seconds of wall time per traced iteration
  std::string no_goodput;      // why there is no split
  HardwareCounts hardware{};   // of one launch, where they were asked for
};

// Seconds of compute per traced iteration.
inline double useful(const Row& row) { return row.split ? row.split->compute * row.total : 0; }

inline bool has_speed(const Row& row) { return row.status == Status::ok && !row.samples.empty(); }

// What it has is counted, and it has no speed.
inline bool only_counts(const Row& row) {
  return row.status == Status::ok && row.samples.empty() &&
         (!row.lines.empty() || row.counters[Counter::calls] > 0);
}

// Where it stands on the axis of its sweep.
inline double point_of(const Row& row) { return static_cast<double>(row.axes.get(row.sweep, 0)); }

// "ch1_x/02_gemm/baseline/cuda/size=small,dtype=fp32,rows=256,columns=256": all that says
// which row it is but for cache and sweep. Reading it sets lesson, variant, backend and axes, and
// throws std::runtime_error where it has another form.
std::string benchmark_name(const Row& row);
void read_benchmark_name(const std::string& name, Row& row);

// A lesson has its baseline first, then steps, optimized, all_shapes, library, exercise, solution
// and the rest.
bool lesson_order(const std::string& a, const std::string& b);

// What a lesson's folder says of it: its page's heading, and how its cases are called.
struct About {
  std::string title, question;          // "Add", "how close to the speed of memory can you get?"
  std::string page;                     // below the top: ch1_x/02_gemm/README.md
  std::vector<std::string> case_names;  // patterns, see model/case_name.h
  std::string takes{};                  // "60 min, easy"
};

// A whole result: what a lesson program writes, what the driver merges, what common/results holds.
struct Results {
  std::string machine;  // host name is never stored; "NVIDIA H200", "2-core CPU"
  std::string version;
  std::vector<Ceilings> ceilings;  // one per backend
  std::vector<Row> rows;
  // Why a lesson program gave up, with its exit code; 0: it did not. Rows measured before stay.
  int failure = 0;
  std::string failure_reason;
  std::map<std::string, About> about;  // by lesson; no file of results has it
  const Ceilings* ceilings_of(const std::string& backend) const;
  About about_lesson(const std::string& lesson) const;
  std::string name_of(const CaseKey& key) const;  // "8192 x 8192, fp32, hot cache"
};

// Puts other measurements of the same devices into `into`. A case that is in both is taken from
// `from` as a whole, for its rows were measured in turn; of two ceilings the better one stays.
// Throws Failure (code 2) when a backend's device is another one.
void merge(Results& into, const Results& from);

}  // namespace wb
