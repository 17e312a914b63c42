#include "model/trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace wb {

namespace {

struct Kind {
  std::size_t lane;  // in kLanes
  int share;         // which one it goes to; a lower one wins where several overlap
};
constexpr Kind kKinds[] = {{3, 0}, {2, 1}, {1, 1}, {4, 1},
                           {0, 2}, {0, 3}, {0, 3}, {0, 3}};  // in the order of Activity

const Kind& kind(Activity activity) { return kKinds[static_cast<std::size_t>(activity)]; }

}  // namespace

std::size_t lane_of(Activity activity) { return kind(activity).lane; }

Split split(const Trace& trace) {
  std::map<double, std::array<int, 4>> changes;  // in how many are open, by share
  for (const Interval& i : trace.intervals) {
    const double start = std::clamp(i.start, 0.0, trace.wall);
    const double end = std::clamp(i.end, 0.0, trace.wall);
    if (end <= start) continue;
    ++changes[start][kind(i.activity).share];
    --changes[end][kind(i.activity).share];
  }
  changes[trace.wall];  // the last

  double share[5] = {};
  int open[4] = {};
  double now = 0;
  for (const auto& [time, change] : changes) {
    const auto winner = std::find_if(open, open + 4, [](int n) { return n > 0; }) - open;
    share[winner] += time - std::exchange(now, time);
    for (int i = 0; i < 4; ++i) open[i] += change[i];
  }
  if (trace.wall > 0)
    for (double& s : share) s /= trace.wall;
  return {share[0], share[1], share[2], share[3], share[4]};
}

Split without_tracing(const Split& s, double traced, double wall) {
  if (wall <= 0 || traced <= 0) return s;
  const double device = s.compute + s.copies;
  const double kept = std::min(device * traced / wall, 1.0);
  const double on_device = device > 0 ? kept / device : 0;
  const double elsewhere = device < 1 ? (1 - kept) / (1 - device) : 0;
  return {s.compute * on_device, s.copies * on_device, s.allocation * elsewhere,
          s.launch * elsewhere, s.idle * elsewhere};
}

}  // namespace wb
