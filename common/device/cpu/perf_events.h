// What a CPU's counters say of a launch: cycles, instructions, lines that missed the last cache.
// By Linux' perf_event_open(2), whose manual page is the source.
#pragma once

#include <functional>
#include <string>

#include "model/hardware.h"

namespace wb {

// Of all threads of this process, those that the launch starts included, in user code alone. What
// `before` does is not counted.
HardwareCounts count_on_cpu(const std::function<void()>& before,
                            const std::function<void()>& launch);

// What an errno of perf_event_open means, and what to do.
std::string perf_refusal(int error);

}  // namespace wb
