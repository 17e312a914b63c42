#include "harness/nvml.h"

#include <dlfcn.h>

#include <utility>

namespace wb {
namespace {

// What is used of nvml.h. These names and numbers are NVML's stable interface.
using Device = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr int kSmClock = 1;         // NVML_CLOCK_SM
constexpr int kGpuTemperature = 0;  // NVML_TEMPERATURE_GPU

struct Nvml {
  int (*initialize)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device)(const char*, Device*) = nullptr;
  int (*clock)(Device, int, unsigned*) = nullptr;
  int (*temperature)(Device, int, unsigned*) = nullptr;
  int (*reasons)(Device, unsigned long long*) = nullptr;
  bool ready = false;

  Nvml() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const auto load = [&](auto& function, const char* name) {
      if (!function)
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    };
    load(initialize, "nvmlInit_v2");
    load(driver_version, "nvmlSystemGetDriverVersion");
    load(device, "nvmlDeviceGetHandleByUUID");
    load(clock, "nvmlDeviceGetClockInfo");
    load(temperature, "nvmlDeviceGetTemperature");
    load(reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    load(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");  // its name up to driver 530
    ready = initialize && initialize() == kSuccess;
  }
};

const Nvml& nvml() {
  static const Nvml library;  // stays open: shutting down and opening again costs tens of ms
  return library;
}

}  // namespace

DeviceState nvml_state(const std::string& uuid) {
  DeviceState state;
  Device device = nullptr;
  if (!nvml().ready || !nvml().device || nvml().device(uuid.c_str(), &device) != kSuccess)
    return state;
  unsigned value = 0;
  if (nvml().clock && nvml().clock(device, kSmClock, &value) == kSuccess) state.sm_mhz = value;
  if (nvml().temperature && nvml().temperature(device, kGpuTemperature, &value) == kSuccess)
    state.celsius = value;
  unsigned long long reasons = 0;
  if (nvml().reasons && nvml().reasons(device, &reasons) == kSuccess) {
    // Idle (1), application clocks (2), sync boost (0x10) and display clocks (0x100) are no
    // trouble.
    constexpr std::pair<unsigned long long, const char*> kProblems[] = {
        {0x04, "power cap"},
        {0x08, "hardware slowdown"},
        {0x20, "temperature limit set by software"},
        {0x40, "temperature limit of the hardware"},
        {0x80, "power brake"},
    };
    for (const auto& [bit, text] : kProblems)
      if (reasons & bit)
        state.problem += (state.problem.empty() ? "throttled: " : ", ") + std::string(text);
  }
  return state;
}

std::string nvml_driver_version() {
  char text[96] = "";
  if (!nvml().ready || !nvml().driver_version ||
      nvml().driver_version(text, sizeof text) != kSuccess)
    return "";
  return text;
}

}  // namespace wb
