// What a processor's own counters say of one launch (`--counters`), taken in an untimed pass.
#pragma once

#include <map>
#include <string>

namespace wb {

// One more takes a line here, its name in files below, the backend that counts it, and a column in
// report/hardware.cpp if a person is to see it.
enum class Hardware {
  cycles,
  instructions,
  cache_misses,
  dram_read,
  dram_written,
  l2_bytes,
  l2_hit_rate,
  load_requests,
  load_sectors,
  store_requests,
  store_sectors,
  shared_requests,
  shared_wavefronts,
  local_bytes,
  occupancy,
  tensor_active
};
inline constexpr const char* kHardware[] = {
    "cycles",              // of a CPU, of all threads together
    "instructions",        // of warps that a GPU issued; that all threads of a CPU completed
    "cache_misses",        // of the last level, lines that came from memory
    "dram_read_bytes",     // by the memory of the device
    "dram_written_bytes",  // without what a cache still holds at the end
    "l2_bytes",            // between multiprocessors and L2
    "l2_hit_rate",         // of all sectors that anything asked L2 for
    "load_requests",       // of warps, to global memory: loads, and copies by cp.async
    "load_sectors",        // of 32 bytes, that these asked L1 for
    "store_requests",      //
    "store_sectors",       //
    "shared_requests",     // loads and stores of warps to shared memory
    "shared_wavefronts",   // turns that shared memory took for these: more are bank conflicts
    "local_bytes",         // of registers that were spilled, and of arrays that threads have
    "occupancy",           // warps on a multiprocessor that has any, of those that fit
    "tensor_active"        // of a multiprocessor's cycles, those in which its tensor cores worked
};

struct HardwareCounts {
  std::map<Hardware, double> events{};     // what is not in it was not counted
  std::map<std::string, double> stalls{};  // why warps did not issue: of all their cycles
  std::string missing{};                   // why nothing was counted, and what to do

  bool any() const { return !events.empty(); }
  // Below 0: not counted.
  double get(Hardware event) const {
    const auto found = events.find(event);
    return found == events.end() ? -1 : found->second;
  }
};

}  // namespace wb
