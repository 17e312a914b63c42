// Throttling of a GPU and the version of its driver, read through NVML. The library is opened at
// run time, so nothing needs it to build or to run, and no setting is ever changed. Source: NVIDIA
// Management Library (NVML) reference, sections "Device Queries" and "Clocks Event Reasons".
#pragma once

#include <optional>
#include <string>

namespace wb {

// `uuid` as cudaDeviceProp and nvidia-smi -L give it: "GPU-8-4-4-4-12". "throttled: power cap", or
// "". Nothing without NVML, or when it can't say that of the device.
std::optional<std::string> nvml_throttling(const std::string& uuid);
std::string nvml_driver_version();  // "580.65.06"; empty without NVML

}  // namespace wb
