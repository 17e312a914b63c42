#include "device/cpu/spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "device/cpu/disturbance.h"
#include "wb/cpu.h"

namespace wb {
namespace {

struct SpanLog {
  bool active = false;  // changed only while no variant runs
  bool lost = false;    // there were more than kMostSpans
  std::mutex mutex;
  std::vector<Interval> intervals;       // by the machine's clock
  std::vector<std::thread::id> threads;  // lane = index
};
constexpr Activity kActivityOf[] = {Activity::compute, Activity::copy, Activity::allocate};
SpanLog& log() {
  static SpanLog spans;
  return spans;
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
  const std::lock_guard lock(spans.mutex);
  if (spans.intervals.size() >= kMostSpans) {
    spans.lost = true;
    return;
  }
  const auto self = std::this_thread::get_id();
  auto lane = std::find(spans.threads.begin(), spans.threads.end(), self);
  if (lane == spans.threads.end()) lane = spans.threads.insert(lane, self);
  spans.intervals.push_back({start_, end, kActivityOf[static_cast<int>(work_)], name_,
                             static_cast<int>(lane - spans.threads.begin())});
}

bool tracing() { return log().active; }

void keep_spans(bool on) {
  SpanLog& spans = log();
  spans.intervals.clear();
  spans.threads.clear();
  spans.lost = false;
  spans.active = on;
}

bool spans_enough() {
  SpanLog& spans = log();
  const std::lock_guard lock(spans.mutex);
  return spans.intervals.size() >= kEnoughSpans;
}

void end_spans(double start, Trace& trace) {
  SpanLog& spans = log();
  spans.active = false;
  trace.intervals = std::exchange(spans.intervals, {});
  for (Interval& i : trace.intervals) i.start -= start, i.end -= start;
  if (!spans.lost) return;
  trace.missing = fmt::format("a launch has more than {} spans", kMostSpans);
  trace.intervals.clear();
}

std::size_t take_spans(RankSpan* to, std::size_t most) {
  const std::vector<Interval> all = std::exchange(log().intervals, {});
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
    spans.intervals.push_back(
        {s.start, s.end, kActivityOf[static_cast<int>(s.work)], s.name, 0, rank});
}

}  // namespace wb
