// For a lesson's .cpp variants.
//
//   void run(const Saxpy::Args& p) { ... }              // all of it is timed
//   WB_CPU(Saxpy, baseline, run);
//
//   auto make(const Saxpy::Args& p) {                   // untimed set-up ...
//     return [p, buffer = std::vector<float>(p.n)] { ... };   // ... and what is timed
//   }
//   WB_CPU(Saxpy, optimized, make);
#pragma once

#include "wb/variant.h"

namespace wb {

// What a thread is doing, for goodput and the timeline of a CPU variant. A variant that declares
// no span counts as computing all the time. Costs two clock reads while tracing, else one branch.
enum class Work { compute, copy, allocate };
class Span {
 public:
  explicit Span(Work work, const char* name = "");
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Work work_;
  const char* name_;
  double start_ = -1;
};

// Ranks that are processes of their own keep their spans, by the machine's clock, and hand them to
// the program that traces, in memory that both see.
struct RankSpan {
  Work work;
  char name[20];
  double start, end;
};
bool tracing();                                                // whether spans are kept here
void keep_spans(bool on);                                      // in a rank, from now on
std::size_t take_spans(RankSpan* to, std::size_t most);        // of a rank; returns how many
void add_spans(int rank, const RankSpan* all, std::size_t n);  // where it is traced

}  // namespace wb

#ifndef WB_BACKEND  // the build may have another one for this dialect
#define WB_BACKEND "cpu"
#endif
#define WB_CPU(PROBLEM, NAME, FUNCTION) WB_VARIANT(PROBLEM, NAME, WB_BACKEND, FUNCTION)
