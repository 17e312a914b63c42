// Meetings of the lanes of a warp: all of a mask come to the same call, each
// with a value.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/calls.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"
#include "device/simt/lines.h"

namespace simt {

namespace {

std::size_t warp_of(const Thread& t) { return static_cast<std::size_t>(t.linear) / kWarp; }

template <class F> void each_lane(unsigned lanes, F f) {
  for (; lanes; lanes &= lanes - 1) f(static_cast<std::size_t>(std::countr_zero(lanes)));
}

// What the lanes did before they met is ordered before what they do now.
void order(Warp& warp, unsigned lanes) {
  const std::uint32_t now = ++warp.meetings;
  if ((lanes | warp.absent) == ~0u) {
    warp.all_met = now;
    return;
  }
  if (!warp.met) warp.met = std::make_unique<decltype(warp.met)::element_type>();
  std::array<std::uint32_t, kWarp> last{};  // what one of them knows
  each_lane(lanes, [&](std::size_t lane) {
    for (std::size_t l = 0; l < kWarp; ++l) last[l] = std::max(last[l], (*warp.met)[lane][l]);
  });
  each_lane(lanes, [&](std::size_t lane) { last[lane] = now; });
  each_lane(lanes, [&](std::size_t lane) { (*warp.met)[lane] = last; });
}

// Lets the lanes of a meeting go on if all are there.
bool complete(std::size_t warp_index, unsigned mask, Meeting& m) {
  Warp& warp = block->warps[warp_index];
  if (m.missing(mask, warp)) return false;
  Thread* const threads = &block->threads[warp_index * kWarp];
  Known all;
  each_lane(m.arrived, [&](std::size_t l) {
    threads[l].wait = Wait::none;
    if (warp.knows) all.add(threads[l].known);
  });
  if (warp.knows) each_lane(m.arrived, [&](std::size_t l) { threads[l].known.add(all); });
  order(warp, m.arrived);
  m.arrived = 0;
  return true;
}

}  // namespace

unsigned Meeting::missing(unsigned mask, const Warp& warp) const {
  return mask & ~arrived & ~warp.absent & ~(only_orders ? warp.ended : 0);
}

const Value* meet(unsigned mask, const void* value, std::size_t bytes, const char* what,
                  const void* pc) {
  const Unwatched unwatched;
  const int lane = self->linear % kWarp;
  if (!pc) pc = __builtin_return_address(0);
  self->place = place_of(pc);
  if (!(mask >> lane & 1))
    fail(pc, "lane {} calls {} with a mask that leaves this lane out", lane, what);
  Warp& warp = block->warps[warp_of(*self)];
  if (counting) note(Kind::meeting, mask, 0, {pc, SIMT_FROM.frame});
  if (!warp.last || warp.last_mask != mask) warp.last = &warp.by_mask[warp.last_mask = mask];
  Meeting& m = *warp.last;
  if (m.arrived == 0)
    m.turn = (m.turn + 1) % 3, m.what = what, m.place = self->place,
    m.only_orders = what == std::string_view("__syncwarp");
  else if (m.what != what && std::string_view(m.what) != what)
    fail(pc,
         "this lane calls {}, and other lanes of its mask call {} at {}: all must make the same "
         "call",
         what, m.what, line_of(m.place));
  auto& values = m.values[static_cast<std::size_t>(m.turn)];
  std::memcpy(values[static_cast<std::size_t>(lane)].bytes, value, bytes);
  m.arrived |= 1u << lane;
  if (!complete(warp_of(*self), mask, m)) {
    self->meeting = &m;
    self->wait = Wait::meeting;
    to_scheduler();
  }
  return values.data();
}

void lane_ended(const Thread& t) {
  Warp& warp = block->warps[warp_of(t)];
  warp.ended |= 1u << t.linear % kWarp;
  for (auto& [mask, m] : warp.by_mask)
    if (m.arrived) complete(warp_of(t), mask, m);
}

unsigned lanes_there(unsigned mask) { return mask & ~block->warps[warp_of(*self)].absent; }

void lane_left_out(const char* what, int lane, bool in_mask) {
  const Unwatched unwatched;
  fail(__builtin_return_address(0), "{} reads lane {}, which {}", what, lane,
       in_mask ? "the block does not have" : "its mask leaves out");
}

}  // namespace simt
