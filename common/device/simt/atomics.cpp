// Atomic accesses and fences: how blocks wait for each other, and what that orders.
#include <algorithm>
#include <unordered_map>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/calls.h"
#include "device/simt/counts.h"

namespace simt {

namespace {

// What happened before an atomic access to an address, for who reads it there.
std::unordered_map<const void*, std::unordered_map<std::uint32_t, std::uint32_t>> released;

}  // namespace

void forget_atomics() { released.clear(); }

void fence() { self->fenced = true; }

void atomic(const void* address, std::size_t bytes, Order order, bool writes) {
  if (!self) return;
  const Unwatched unwatched;
  const From from{__builtin_return_address(0)};
  if (counting)
    note(writes                              ? Kind::atomic
         : array_at(std::uintptr_t(address)) ? Kind::load
                                             : Kind::shared_load,
         std::uintptr_t(address), bytes, SIMT_FROM);
  spin();  // others may come first
  access(address, bytes, false, true, from);
  if (writes) access(address, bytes, true, true, from);
  const bool both = order == Order::both || self->fenced;
  auto& at = released[address];
  if (both || order == Order::acquire)
    for (const auto& [owner, epoch] : at) {
      auto& known = block->known[owner];
      known = std::max(known, epoch);
    }
  if (both || order == Order::release) {
    for (const auto& [owner, epoch] : block->known) at[owner] = std::max(at[owner], epoch);
    at[block->linear] = block->epoch;
  }
}

void spin() {
  const Unwatched unwatched;
  ++self->spins;
  to_scheduler();
}

}  // namespace simt
