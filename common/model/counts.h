// What a device that counts instead of timing says of a launch: of one source line, or of all.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "model/access.h"

namespace wb {

// A request is one load or store of a warp: of all its lanes that make it together.
enum class Count {
  loads,          // requests to global memory
  load_sectors,   // the 32-byte sectors that they touch
  stores,         // the same for stores
  store_sectors,  // and for their sectors
  asked,          // bytes that lanes asked for, each once in a request
  shared,         // requests to shared memory
  cycles,         // that its 32 banks need for them
  least,          // cycles without conflicts: 1; 2 and up to 4 where a lane asks for 8 and 16 bytes
  atomics,        // requests of atomic operations
  atomic_lanes,   // the operations of single lanes
  one_address,    // the most of them on one address
  lanes,          // active ones, of all requests together
  barriers        // a block passes, on average over the blocks
};
inline constexpr const char* kCounts[] = {
    "load_requests",     "load_sectors",    "store_requests",         "store_sectors",
    "asked_bytes",       "shared_requests", "shared_cycles",          "shared_least_cycles",
    "atomic_requests",   "atomics",         "atomics_on_one_address", "lanes",
    "barriers_per_block"};

struct Counts : std::array<double, std::size(kCounts)> {
  double& operator[](Count c) { return at(static_cast<std::size_t>(c)); }
  double operator[](Count c) const { return at(static_cast<std::size_t>(c)); }
  Counts& operator+=(const Counts& more) {
    const double most = std::max((*this)[Count::one_address], more[Count::one_address]);
    for (std::size_t i = 0; i < size(); ++i) at(i) += more.at(i);
    (*this)[Count::one_address] = most;
    return *this;
  }
  double of_global() const { return (*this)[Count::loads] + (*this)[Count::stores]; }
  double sectors() const { return (*this)[Count::load_sectors] + (*this)[Count::store_sectors]; }
  double requests() const { return of_global() + (*this)[Count::shared] + (*this)[Count::atomics]; }
};

struct LineCounts {
  std::string line;  // "optimized.cu:42"
  Counts counts{};
  std::vector<Access> accesses = {};  // the first of each kind, and of these the costliest
};

inline Counts total(const std::vector<LineCounts>& lines) {
  Counts all{};
  for (const LineCounts& one : lines) all += one.counts;
  return all;
}

}  // namespace wb
