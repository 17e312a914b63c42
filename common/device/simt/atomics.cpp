// Atomic accesses and fences: how blocks wait for each other, and what that orders.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/calls.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"

namespace simt {

namespace {

// What is known to a thread that reads at an address, and what to those of one block alone.
std::unordered_map<std::uintptr_t, Known> released;
std::map<std::pair<std::uintptr_t, std::uint32_t>, Known> released_in_block;

Moment now() {
  const std::uint32_t meetings =
      block->warps[static_cast<std::size_t>(self->linear) / kWarp].meetings;
  return {block->epoch, meetings, self->releases};
}

// What comes behind it in this thread is another part of its life.
Moment release() {
  const Moment moment = now();
  if (self->releases < 255) ++self->releases;
  return moment;
}

void publish(Known& to, Moment moment) {
  to.add(block->known);
  to.add(self->known);
  // A barrier is taken for a fence of all threads where one of them had made one.
  if (moment.epoch < block->epoch) moment = {block->epoch};
  to.add(block->linear, static_cast<std::uint16_t>(self->linear), moment);
}

void learn(Known& own, std::uintptr_t at) {
  if (const auto found = released.find(at); found != released.end()) own.add(found->second);
  if (released_in_block.empty()) return;
  const auto found = released_in_block.find({at, block->linear});
  if (found != released_in_block.end()) own.add(found->second);
}

void tell_warp() {
  if (!self->known.empty())
    block->warps[static_cast<std::size_t>(self->linear) / kWarp].knows = true;
}

void synchronize(std::uintptr_t at, Order order, bool writes) {
  const bool fenced = self->fenced.epoch, in_block = self->fenced_in_block.epoch;
  const bool relaxed = order == Order::relaxed && !fenced && !in_block;
  if (order != Order::release) learn(relaxed ? self->seen : self->known, at);
  tell_warp();
  if (!writes) return;
  if (order == Order::release || order == Order::both)
    publish(released[at], release());
  else if (fenced)
    publish(released[at], self->fenced);
  if (in_block) publish(released_in_block[{at, block->linear}], self->fenced_in_block);
}

}  // namespace

void forget_atomics() { released.clear(), released_in_block.clear(); }

void fence(bool in_block) {
  const Unwatched unwatched;
  self->known.add(std::exchange(self->seen, {}));
  tell_warp();
  (in_block ? self->fenced_in_block : self->fenced) = release();
}

void share_known() {
  for (Warp& warp : block->warps) {
    if (!std::exchange(warp.knows, false)) continue;
    const std::size_t first = static_cast<std::size_t>(&warp - block->warps.data()) * kWarp;
    for (std::size_t i = first; i < std::min(first + kWarp, block->threads.size()); ++i) {
      block->known.add(block->threads[i].known);
      block->threads[i].known.clear();
    }
  }
}

void atomic(const void* address, std::size_t bytes, Order order, bool writes) {
  if (!self) return;
  const Unwatched unwatched;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const From from{__builtin_return_address(0)};
  if (counting)
    note(writes         ? Kind::atomic
         : array_at(at) ? Kind::load
                        : Kind::shared_load,
         at, bytes, SIMT_FROM);
  self->place = place_of(from.pc);
  spin();  // others may come first
  access(address, bytes, false, true, from);
  if (writes) access(address, bytes, true, true, from);
  synchronize(at, order, writes);
}

void volatile_access(void* address, std::size_t bytes, bool write, const From& from) {
  if (!watching) return;
  const Unwatched unwatched;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const bool global = array_at(at);
  self->place = place_of(from.pc);
  if (!write) spin();
  access(address, bytes, write, global || !write, from);
  if (global) synchronize(at, Order::relaxed, write);
}

void spin() {
  const Unwatched unwatched;
  ++self->spins;
  to_scheduler();
}

}  // namespace simt
