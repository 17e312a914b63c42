// Barriers of a block and of the grid, and meetings of the lanes of a warp.
#include <cstring>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/calls.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"

namespace simt {

namespace {
void wait_here(Wait wait, const void* pc) {
  self->wait = wait;
  self->place = place_of(pc);
  to_scheduler();
}
}  // namespace

void block_barrier() {
  const Unwatched unwatched;
  wait_here(Wait::barrier, __builtin_return_address(0));
}

int count_at_barrier(bool predicate) {
  const Unwatched unwatched;
  // Three counts by turns: at a barrier nobody reads the count before it any more, or adds to the
  // next but one.
  const int turn = self->counted++;
  const auto count = [&](int later) -> int& { return block->count[(turn + later) % 3]; };
  count(0) += predicate;
  wait_here(Wait::barrier, __builtin_return_address(0));
  if (self->linear == 0) count(2) = 0;
  return count(0);
}

void grid_barrier() {
  const Unwatched unwatched;
  if (!grid->cooperative)
    fail(__builtin_return_address(0), "a barrier of the whole grid needs a cooperative launch");
  wait_here(Wait::grid, __builtin_return_address(0));
}

const Value* meet(unsigned mask, const void* value, std::size_t bytes, const char* what,
                  const void* pc) {
  const Unwatched unwatched;
  const int lane = self->linear % kWarp;
  if (!pc) pc = __builtin_return_address(0);
  self->place = place_of(pc);
  if (!(mask >> lane & 1)) fail(pc, "{} with a mask that leaves out the lane that calls it", what);
  Warp& warp = block->warps[static_cast<std::size_t>(self->linear / kWarp)];
  if (counting) note(Kind::meeting, mask, 0, {pc, SIMT_FROM.frame});
  if (!warp.last || warp.last_mask != mask) warp.last = &warp.by_mask[warp.last_mask = mask];
  Meeting& m = *warp.last;
  if (m.arrived == 0) m.turn = (m.turn + 1) % 3, m.what = what;
  auto& values = m.values[static_cast<std::size_t>(m.turn)];
  std::memcpy(values[static_cast<std::size_t>(lane)].bytes, value, bytes);
  m.arrived |= 1u << lane;
  if (m.arrived == mask) {
    m.arrived = 0;
    ++warp.meetings;
    for (int l = 0; l < kWarp; ++l) {
      const auto linear = static_cast<std::size_t>(self->linear / kWarp * kWarp + l);
      if (l != lane && (mask >> l & 1)) block->threads[linear].wait = Wait::none;
    }
  } else {
    self->meeting = &m;
    self->wait = Wait::meeting;
    to_scheduler();
  }
  return values.data();
}

void lane_left_out(const char* what, int lane) {
  const Unwatched unwatched;
  fail(__builtin_return_address(0), "{} reads lane {}, which its mask leaves out", what, lane);
}

unsigned here() {
  const Unwatched unwatched;
  unsigned mask = 0;
  for (int l = 0; l < kWarp; ++l) {
    const auto linear = static_cast<std::size_t>(self->linear / kWarp * kWarp + l);
    if (linear < block->threads.size() && !block->threads[linear].done) mask |= 1u << l;
  }
  return mask;
}

}  // namespace simt
