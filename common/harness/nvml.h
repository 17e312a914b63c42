// Clock, temperature and throttling of a GPU, read through NVML. The library is opened at run time,
// so nothing needs it to build or to run, and no setting is ever changed.
// Source: NVIDIA Management Library (NVML) reference, sections "Device Queries" and "Clocks Event
// Reasons".
#pragma once

#include <string>

#include "harness/backend.h"

namespace wb {

// `uuid` as cudaDeviceProp and nvidia-smi -L give it: "GPU-8-4-4-4-12". All empty without NVML or
// when it does not know the device.
DeviceState nvml_state(const std::string& uuid);
std::string nvml_driver_version();  // "580.65.06"; empty without NVML

}  // namespace wb
