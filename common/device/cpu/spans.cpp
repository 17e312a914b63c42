#include "device/cpu/spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <utility>

#include "base/clock.h"
#include "device/cpu/disturbance.h"
#include "wb/cpu.h"

namespace wb {
namespace {

// A thread's own, so that none waits for another one.
struct Lane {
  std::mutex mutex;
  std::vector<Interval> intervals;  // by the machine's clock
};
struct SpanLog {
  bool active = false;              // changed only while no variant runs
  std::atomic<std::size_t> kept{};  // spans, by blocks of kBlock
  std::mutex mutex;                 // of what follows
  std::deque<Lane> lanes;
  std::vector<Lane*> free;  // of threads that have ended
  std::vector<Interval> of_ranks;
};
constexpr std::size_t kBlock = 256;
constexpr Activity kActivityOf[] = {Activity::compute, Activity::copy, Activity::allocate};
SpanLog& log() {
  static SpanLog& spans = *new SpanLog;  // for good: threads may end after main
  return spans;
}

Lane& take_lane() {
  SpanLog& spans = log();
  const std::lock_guard lock(spans.mutex);
  if (spans.free.empty()) return spans.lanes.emplace_back();
  Lane* lane = spans.free.back();
  spans.free.pop_back();
  return *lane;
}
struct Own {
  Lane& lane = take_lane();
  ~Own() {
    const std::lock_guard lock(log().mutex);
    log().free.push_back(&lane);
  }
};

// All there are, with their lanes' numbers.
std::vector<Interval> take_all() {
  SpanLog& spans = log();
  const std::lock_guard lock(spans.mutex);
  std::vector<Interval> all = std::exchange(spans.of_ranks, {});
  for (int number = 0; Lane & lane : spans.lanes) {
    const std::lock_guard own(lane.mutex);
    for (Interval& i : lane.intervals) {
      i.lane = number;
      all.push_back(std::move(i));
    }
    number += !lane.intervals.empty();
    lane.intervals.clear();
  }
  return all;
}

}  // namespace

Span::Span(Work work, const char* name) : work_(work), name_(name) {
  if (disturbed) sleep_at_random();
  if (log().active) start_ = seconds();
}

Span::~Span() {
  if (disturbed) sleep_at_random();
  SpanLog& spans = log();
  if (start_ < 0 || !spans.active) return;
  const double end = seconds();
  static thread_local Own own;
  Lane& lane = own.lane;
  const std::lock_guard lock(lane.mutex);
  if (spans.kept >= kMostSpans) return;
  lane.intervals.push_back({start_, end, kActivityOf[static_cast<int>(work_)], name_, 0});
  if (lane.intervals.size() % kBlock == 0) spans.kept += kBlock;
}

bool tracing() { return log().active; }

void keep_spans(bool on) {
  SpanLog& spans = log();
  take_all();
  spans.kept = 0;
  spans.active = on;
}

bool spans_enough() { return log().kept >= kEnoughSpans; }

void end_spans(double start, Trace& trace) {
  SpanLog& spans = log();
  spans.active = false;
  trace.intervals = take_all();
  for (Interval& i : trace.intervals) i.start -= start, i.end -= start;
  if (spans.kept < kMostSpans) return;
  trace.missing = fmt::format("a launch has more than {} spans", kMostSpans);
  trace.intervals.clear();
}

std::size_t take_spans(RankSpan* to, std::size_t most) {
  const std::vector<Interval> all = take_all();
  const std::size_t n = std::min(most, all.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto work = std::ranges::find(kActivityOf, all[i].activity) - kActivityOf;
    to[i] = {static_cast<Work>(work), {}, all[i].start, all[i].end};
    all[i].name.copy(to[i].name, sizeof to[i].name - 1);
  }
  return n;
}

void add_spans(int rank, const RankSpan* all, std::size_t n) {
  SpanLog& spans = log();
  const std::lock_guard lock(spans.mutex);
  for (const RankSpan& s : std::span(all, n))
    spans.of_ranks.push_back(
        {s.start, s.end, kActivityOf[static_cast<int>(s.work)], s.name, 0, rank});
}

}  // namespace wb
