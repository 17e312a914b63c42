// The memory that kernels may touch: the arrays of the host, and the shared memory of the block
// that runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/simt/shadow.h"

namespace simt {

// Where kernels may read and write. `defined`: the bytes hold something already.
void add_array(const void* data, std::size_t bytes, bool defined);
void remove_array(const void* data);
// Of an array that was added a part, which has a name, is what kernels may touch.
void outline_array(const void* part, std::size_t bytes, const std::string& name);
void set_defined(const void* data, std::size_t bytes, bool defined);
std::string describe_array(const void* data);   // for messages
std::uintptr_t shared_begin(const void* data);  // of the array in shared memory, or 0

struct Memory {
  std::uintptr_t begin, end;
  Cells cells;
  bool is_shared = false, is_program = false;
  bool used = true;  // shared memory: by the block that runs, or by the one before it
  std::uintptr_t first = begin, last = end;  // the part that kernels may touch
  std::string name = {};
};

extern std::array<Memory*, 64> last_hits;  // arrays of kernels, by a part of the address
Memory* find_array(std::uintptr_t at);
inline Memory* array_at(std::uintptr_t at) {  // null: no array is there
  Memory* const last = last_hits[at >> 12 & 63];
  return last && at >= last->begin && at < last->end ? last : find_array(at);
}

extern std::vector<Memory> shared_ranges;  // the dynamic one comes first
// The array in shared memory at this address, or at most `guard` bytes away from it.
inline Memory* shared_at(std::uintptr_t at, std::size_t guard = 0) {
  static std::size_t last = 0;  // nearly always the next one, too
  if (last < shared_ranges.size())
    if (Memory& m = shared_ranges[last]; at >= m.begin && at < m.end) return &m;
  for (Memory& m : shared_ranges)
    if (at + guard >= m.begin && at < m.end + guard) {
      last = static_cast<std::size_t>(&m - shared_ranges.data());
      return &m;
    }
  return nullptr;
}
void add_shared(std::uintptr_t begin, std::size_t bytes);
// Variables and constants of the program. They have values from the start, so only races are looked
// for there. Null elsewhere.
Memory* program_at(std::uintptr_t at);
void set_dynamic_bytes(std::size_t bytes);  // of this launch

// A block finds nothing of the one before it.
void forget_shared();
// What a block had in shared memory, while other blocks run.
struct SavedShared {
  std::size_t range;
  std::vector<unsigned char> bytes;
  Cells cells;
};
std::vector<SavedShared> save_shared();
void restore_shared(std::vector<SavedShared>& saved);

}  // namespace simt
