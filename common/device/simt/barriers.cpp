// Barriers of a block and of the grid.
#include "device/simt/block.h"
#include "device/simt/calls.h"
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
    fail(__builtin_return_address(0), "a barrier of the grid needs a cooperative launch");
  wait_here(Wait::grid, __builtin_return_address(0));
}

}  // namespace simt
