#include "device/simt/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "device/simt/calls.h"
#include "device/simt/faults.h"
#include "device/simt/lines.h"

namespace simt {

std::array<Memory*, 64> last_hits = {};
std::vector<Memory> shared_ranges;

namespace {

std::map<std::uintptr_t, std::unique_ptr<Memory>> arrays;  // by their ends
alignas(1024) unsigned char dynamic_memory[kGuard + kSharedOptIn + kGuard];

}  // namespace

// ---- arrays

Memory* find_array(std::uintptr_t at) {
  if (in_program(at)) return nullptr;  // shared memory lies there
  const auto found = arrays.upper_bound(at);
  if (found == arrays.end() || at < found->second->begin) return nullptr;
  return last_hits[at >> 12 & 63] = found->second.get();
}

void add_array(const void* data, std::size_t bytes, bool defined) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (bytes == 0) return;
  remove_array(data);
  auto array = std::make_unique<Memory>(Memory{begin, begin + bytes, Cells(bytes)});
  if (defined) Cells::set(array->cells.defined(), 0, bytes, true);
  arrays[begin + bytes] = std::move(array);
}

void remove_array(const void* data) {
  if (Memory* a = array_at(reinterpret_cast<std::uintptr_t>(data))) {
    last_hits.fill(nullptr);
    arrays.erase(a->end);
  }
}

void set_defined(const void* data, std::size_t bytes, bool defined) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  if (Memory* a = array_at(at))
    Cells::set(a->cells.defined(), at - a->begin,
               std::min(at - a->begin + bytes, a->end - a->begin), defined);
}

void outline_array(const void* part, std::size_t bytes, const std::string& name) {
  const auto at = reinterpret_cast<std::uintptr_t>(part);
  if (Memory* a = array_at(at)) a->first = at, a->last = at + bytes, a->name = name;
}

std::string describe_array(const void* data) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto from = [&](const Memory& a) {
    const std::string array = fmt::format(
        "{} of {} bytes", a.name.empty() ? "an array" : a.name + ", an array", a.last - a.first);
    if (at == a.last) return "just past the end of " + array;
    if (at > a.last) return fmt::format("{} bytes past the end of {}", at - a.last, array);
    if (at < a.first) return fmt::format("{} bytes before the start of {}", a.first - at, array);
    return fmt::format("byte {} of {}", at - a.first, array);
  };
  constexpr std::uintptr_t kNear = 1 << 20;
  const auto above = arrays.upper_bound(at);
  if (above != arrays.end() && at >= above->second->begin) return from(*above->second);
  if (above != arrays.begin() && at - std::prev(above)->second->end < kNear)
    return from(*std::prev(above)->second);
  if (above != arrays.end() && above->second->begin - at < kNear) return from(*above->second);
  return data ? "far from any array" : "a null pointer";
}

// ---- shared memory

void* dynamic_shared_memory() noexcept { return dynamic_memory + kGuard; }

void add_shared(std::uintptr_t begin, std::size_t bytes) {
  shared_ranges.push_back({begin, begin + bytes, Cells(bytes), true});
}

void set_dynamic_bytes(std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(dynamic_shared_memory());
  if (shared_ranges.empty()) add_shared(begin, kSharedOptIn);
  shared_ranges.front().last = begin + bytes;
}

void shared_range(const void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (Memory* known = shared_at(begin)) {
    if (std::exchange(known->used, true)) return;
  } else {
    add_shared(begin, bytes);
    std::memset(const_cast<void*>(data), 0xFF, bytes);
  }
  std::size_t all = 0;
  for (std::size_t i = 1; i < shared_ranges.size(); ++i)  // but for the dynamic one
    if (shared_ranges[i].used) all += shared_ranges[i].end - shared_ranges[i].begin;
  if (all > kSharedBytes)
    fail(__builtin_return_address(0),
         "nvcc refuses this kernel: its __shared__ variables have {} bytes, and more than {} have "
         "to "
         "be dynamic (extern __shared__)",
         all, kSharedBytes);
}

Memory* program_at(std::uintptr_t at) {
  static const auto begin = reinterpret_cast<std::uintptr_t>(&__executable_start);
  static const auto end = reinterpret_cast<std::uintptr_t>(&_end);
  static Memory memory{.begin = begin, .end = end, .cells = Cells(end - begin), .is_program = true};
  return in_program(at) ? &memory : nullptr;
}

std::uintptr_t shared_begin(const void* data) {
  const Memory* range = shared_at(reinterpret_cast<std::uintptr_t>(data));
  return range ? range->begin : 0;
}

// The arrays of other kernels cost nothing.
void forget_shared() {
  for (Memory& m : shared_ranges) {
    if (!m.used) continue;
    const std::size_t bytes = m.last - m.begin;
    std::memset(reinterpret_cast<void*>(m.begin), 0xFF, bytes);
    m.cells.forget(bytes);
    m.used = &m == &shared_ranges.front();  // of dynamic memory nobody says that it is used
  }
}

std::vector<SavedShared> save_shared() {
  std::vector<SavedShared> saved;
  for (std::size_t i = 0; i < shared_ranges.size(); ++i) {
    Memory& m = shared_ranges[i];
    if (!m.used || m.last == m.begin) continue;
    const auto* from = reinterpret_cast<const unsigned char*>(m.begin);
    saved.push_back({i, {from, from + (m.last - m.begin)}, Cells(m.end - m.begin)});
    std::swap(m.cells, saved.back().cells);
    m.used = i == 0;
  }
  return saved;
}

void restore_shared(std::vector<SavedShared>& saved) {
  for (SavedShared& s : saved) {
    Memory& m = shared_ranges[s.range];
    std::memcpy(reinterpret_cast<void*>(m.begin), s.bytes.data(), s.bytes.size());
    std::swap(m.cells, s.cells);
    m.used = true;
  }
  saved.clear();
}

}  // namespace simt
