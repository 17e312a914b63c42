// Hardware counters of a launch, by CUPTI's range profiler, which CUDA 12.6 brought. Source of the
// method: NVIDIA CUPTI documentation, "CUPTI Range Profiling API", "CUPTI Profiler Host API" and
// "User Replay"; of what is counted, "Nsight Compute, Profiling Guide", which names metrics alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/hardware.h"

namespace wb {

// Of the current CUDA device. A GPU has fewer counters than there is to count: `prepare` and
// `launch` are called in turn as often as that takes, 8 times on an H100. Both return when the
// device is done. `missing` says why it is empty: no permission, no CUPTI.
HardwareCounts count_on_gpu(const std::function<void()>& prepare,
                            const std::function<void()>& launch);

// Values by the names of metrics, as CUPTI gives them, and what they mean. A metric that is not in
// `values` leaves out what needs it.
HardwareCounts counts_of_metrics(const std::map<std::string, double>& values);
std::vector<std::string> wanted_metrics();

// How CUPTI calls a device (GH100 is that of an H100), and which of our metrics it lacks there. The
// second needs no GPU. Throws Unsupported without CUPTI, and for a chip that it does not know.
std::vector<std::string> lacking_metrics(const std::string& chip);

}  // namespace wb
