// What this machine can do, measured here and kept in the user's cache folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wb/problem.h"

namespace wb {

struct DeviceId {
  std::string backend;  // cuda, cpu
  std::string name;     // "NVIDIA H200", "Intel(R) Xeon(R) Processor, 2 cores"
  std::string id;       // what the cache is keyed by: GPU UUID and driver, or CPU model and cores
  std::string driver;   // CUDA driver and runtime, or kernel and compiler
  bool accelerator = false;  // stands beside the host: memory behind a link, work in a queue
};

// Bytes/s: read, copy, triad (2 reads, 1 write) from memory; cache (L2 on a GPU, last level on a
// CPU); copy_nt, triad_nt (CPU, non-temporal stores); to_device, to_host (pinned, GPU).
// Bytes: l2_bytes, llc_bytes (CPU, last level), as the device or the system says.
// FLOP/s: fp32, tf32_tensor, fp16_tensor, bf16_tensor (sustained; on a CPU by its bf16 dot
// products, or by tiles in AMX) and, on a GPU, the same with _burst: for the first moments, before
// power limits the clock. Seconds: launch (from enqueue to enqueue of an empty kernel), event_floor
// and kernel_floor (an event pair around nothing, and around an empty kernel). What was not
// measured is absent.
inline constexpr const char* kMaths[] = {"fp32", "tf32_tensor", "fp16_tensor", "bf16_tensor"};
inline const char* name(Math math) { return kMaths[static_cast<int>(math)]; }
std::string words(Math math, bool accelerator);  // "bf16 tensor", on a CPU "bf16"

struct Ceilings {
  DeviceId device;
  std::string date;  // UTC, 2026-11-20
  std::map<std::string, double> values;
  double get(const std::string& key) const {  // 0 when absent
    auto it = values.find(key);
    return it == values.end() ? 0 : it->second;
  }
  // FLOP/s of a kind of arithmetic, sustained or for a moment; that of fp32 where it has no units
  // of its own. Files from before fp16 was measured have bf16, which is as fast.
  double peak(Math math, bool burst = false) const;
  // Bytes/s of a CPU's memory that no mix of reads and writes exceeds: those of its fastest mix, 0
  // of a GPU. The fastest code for one mix differs between CPUs, so honest code may beat its
  // ceiling, but hardly that of the fastest mix.
  double fastest_mix() const;
  // Takes what is better there, and says what that was.
  std::vector<std::string> raise(const Ceilings& other);
};

// peaks-<backend>-<id>.json in $XDG_CACHE_HOME/gpu-workbook (or ~/.cache): a result without rows
std::string ceilings_path(const DeviceId& device);
// Empty when there is no file, or when it is unreadable, has a figure that none can be, or is of
// another device (a line on stderr says so; it is measured again).
std::optional<Ceilings> load_ceilings(const DeviceId& device);
void save_ceilings(const Ceilings& ceilings);  // atomic; throws std::runtime_error

}  // namespace wb
