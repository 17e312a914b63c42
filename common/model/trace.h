// What happened during a traced pass, and how its wall time divides.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wb {

// compute: kernels (CUDA) or compute spans (CPU). copy: device-to-device copies and memsets, NCCL's
// kernels, or copy spans. allocate, launch, wait, host: what the host thread does (API calls).
enum class Activity { compute, copy, to_device, to_host, allocate, launch, wait, host };
inline constexpr const char* kActivities[] = {"compute",  "copy",   "to device", "to host",
                                              "allocate", "launch", "wait",      "host"};
inline const char* name(Activity activity) { return kActivities[static_cast<int>(activity)]; }

// Where an activity stands in a picture, from the top: what the host does shares a lane.
inline constexpr const char* kLanes[] = {"host", "to device", "copy", "compute", "to host"};
std::size_t lane_of(Activity activity);  // its place in kLanes

struct Interval {
  double start, end;  // seconds from the start of the pass
  Activity activity;
  std::string name;  // kernel, API call or span
  int lane = 0;      // stream or host thread
  int rank = 0;      // of several GPUs or processes
};
inline constexpr int kMostRanks = 1024;

struct Trace {
  double wall = 0;  // seconds, the whole pass
  int iterations = 0;
  std::vector<Interval> intervals;
  std::string missing;  // why there is no trace; empty when there is one
  // Per iteration: from the start of its first device record to the end of its last (CUDA kernel
  // lessons; the clock for rows that are too short for events). Empty on the CPU.
  std::vector<double> device_seconds;
};

// Shares of the wall time that sum to 1. Each instant goes to the first of these that holds:
// compute runs; a copy runs; the host allocates or frees; the host is inside a launch or another
// API call while the device has nothing to do; nothing at all.
struct Split {
  double compute = 0, copies = 0, allocation = 0, launch = 0, idle = 0;
};
Split split(const Trace& trace);

// Tracing makes calls slower but not kernels and copies, whose times the device takes. So an
// iteration of `traced` seconds with records and `wall` without keeps that, and the rest shrinks.
Split without_tracing(const Split& split, double traced, double wall);

}  // namespace wb
