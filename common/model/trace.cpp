#include "model/trace.h"

#include <algorithm>

namespace wb {

const char* name(Activity activity) {
  switch (activity) {
    case Activity::compute: return "compute";
    case Activity::copy: return "copy";
    case Activity::to_device: return "to device";
    case Activity::to_host: return "to host";
    case Activity::allocate: return "allocate";
    case Activity::launch: return "launch";
    case Activity::wait: return "wait";
    case Activity::host: return "host";
  }
  return "";
}

std::size_t lane_of(Activity activity) {
  switch (activity) {
    case Activity::to_device: return 1;
    case Activity::copy: return 2;
    case Activity::compute: return 3;
    case Activity::to_host: return 4;
    default: return 0;
  }
}

namespace {

// Which share an activity goes to; a lower one wins where several overlap.
int rank(Activity activity) {
  switch (activity) {
    case Activity::compute: return 0;
    case Activity::copy:
    case Activity::to_device:
    case Activity::to_host: return 1;
    case Activity::allocate: return 2;
    default: return 3;
  }
}

}  // namespace

Split split(const Trace& trace) {
  struct Edge {
    double time;
    int rank, change;
  };
  std::vector<Edge> edges;
  for (const Interval& i : trace.intervals) {
    const double start = std::clamp(i.start, 0.0, trace.wall);
    const double end = std::clamp(i.end, 0.0, trace.wall);
    if (end > start) {
      edges.push_back({start, rank(i.activity), 1});
      edges.push_back({end, rank(i.activity), -1});
    }
  }
  std::sort(edges.begin(), edges.end(), [](auto& a, auto& b) { return a.time < b.time; });

  double share[5] = {};
  int open[4] = {};
  double now = 0;
  const auto advance = [&](double to) {
    const int winner =
        static_cast<int>(std::find_if(open, open + 4, [](int n) { return n > 0; }) - open);
    share[winner] += to - now;
    now = to;
  };
  for (const Edge& e : edges) {
    advance(e.time);
    open[e.rank] += e.change;
  }
  advance(trace.wall);
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
