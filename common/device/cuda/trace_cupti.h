// Activity records of the GPU and of the CUDA calls of this process, from CUPTI, which is opened at
// run time; without it everything but traces works. Source of the method: NVIDIA CUPTI
// documentation, "CUPTI Activity API" and "Asynchronous Buffering".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

namespace wb {

// Host time in CUPTI nanoseconds around one launch. A record on the device belongs to the launch
// in whose window the call that caused it was made (records and calls share a correlation number).
struct LaunchWindow {
  std::uint64_t start, end;
};

// Records while it lives. One at a time.
class CuptiTracer {
 public:
  // Runtime calls, and the driver calls that libraries launch work with; or, dearer, every one.
  explicit CuptiTracer(bool every_call = false);
  ~CuptiTracer();
  CuptiTracer(const CuptiTracer&) = delete;
  CuptiTracer& operator=(const CuptiTracer&) = delete;

  // Why nothing is recorded and how to mend it; empty when recording.
  const std::string& missing() const { return missing_; }
  std::uint64_t now() const;

  // The device must be idle. `steady`: launches were enqueued back to back; the first and the last
  // one only fill and drain the queue, and the pass lasts from the first device record of the
  // second to the first device record of the last. Otherwise it lasts from the first window to the
  // end of the last. `launches_only` drops device records that belong to no launch.
  Trace collect(const std::vector<LaunchWindow>& launches, bool steady, bool launches_only);

 private:
  std::string missing_;
  bool every_call_;
};

// "void (anonymous namespace)::saxpy<float>(float const*, long)" or its mangled form -> "saxpy".
std::string kernel_name(const char* symbol);
// "cudaMemcpyAsync_ptsz_v7000" -> "cudaMemcpyAsync".
std::string call_name(std::string_view symbol);
// What the host does in a CUDA call, from its call_name().
Activity call_activity(std::string_view call);

}  // namespace wb
