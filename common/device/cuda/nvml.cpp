#include "device/cuda/nvml.h"

#include <dlfcn.h>

#include <utility>

#include "device/cuda/found.h"

namespace wb {
namespace {

// What is used of nvml.h. These names and numbers are NVML's stable interface.
using Device = struct nvmlDevice_st*;
constexpr int kSuccess = 0;

struct Nvml {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  int (*initialize)() = find("nvmlInit_v2");
  int (*driver_version)(char*, unsigned) = find("nvmlSystemGetDriverVersion");
  int (*device)(const char*, Device*) = find("nvmlDeviceGetHandleByUUID");
  int (*reasons)(Device, unsigned long long*) = find("nvmlDeviceGetCurrentClocksEventReasons");
  bool ready = initialize && initialize() == kSuccess;

  Nvml() {
    if (!reasons) reasons = find("nvmlDeviceGetCurrentClocksThrottleReasons");  // up to driver 530
  }
  Found find(const char* name) const { return {library ? dlsym(library, name) : nullptr}; }
};

const Nvml& nvml() {
  static const Nvml library;  // stays open: shutting down and opening again costs tens of ms
  return library;
}

}  // namespace

std::optional<std::string> nvml_throttling(const std::string& uuid) {
  Device device = nullptr;
  unsigned long long reasons = 0;
  if (!nvml().ready || !nvml().device || nvml().device(uuid.c_str(), &device) != kSuccess ||
      !nvml().reasons || nvml().reasons(device, &reasons) != kSuccess)
    return std::nullopt;
  // Idle (1), application clocks (2), sync boost (0x10) and display clocks (0x100) are no trouble.
  constexpr std::pair<unsigned long long, const char*> kProblems[] = {
      {0x04, "power cap"},
      {0x08, "hardware slowdown"},
      {0x20, "temperature limit set by software"},
      {0x40, "temperature limit of the hardware"},
      {0x80, "power brake"},
  };
  std::string text;
  for (const auto& [bit, problem] : kProblems)
    if (reasons & bit) text += (text.empty() ? "throttled: " : ", ") + std::string(problem);
  return text;
}

std::string nvml_driver_version() {
  char text[96] = "";
  if (!nvml().ready || !nvml().driver_version ||
      nvml().driver_version(text, sizeof text) != kSuccess)
    return "";
  return text;
}

}  // namespace wb
