#include "device/simt/block.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "device/simt/access.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"
#include "device/simt/lines.h"

namespace simt {

const Grid* grid = nullptr;
void (*body)(const void*) = nullptr;
Block* block = nullptr;
Thread* self = nullptr;
std::uintptr_t stack_begin = 0;
bool watching = false;
std::uint32_t launch_epoch = 1, ordered_epoch = 1;
std::vector<std::uint32_t> block_of_epoch;

namespace {

std::uint32_t next_epoch = 1;

void thread_main() {
  watching = true;
  body(grid->parameters);
  watching = false;
  self->done = true;
}

void resume(Thread& t) {
  if (!t.fiber) t.fiber = &Fiber::take(thread_main);
  self = &t;
  stack_begin = t.fiber->stack();
  t.fiber->resume();
  watching = false;
  self = nullptr;
  if (t.done) Fiber::give_back(*std::exchange(t.fiber, nullptr));
}

void start(Block& b) {
  const unsigned n = grid->threads.x * grid->threads.y * grid->threads.z;
  b.index = {b.linear % grid->blocks.x, b.linear / grid->blocks.x % grid->blocks.y,
             b.linear / grid->blocks.x / grid->blocks.y};
  b.threads.resize(n);
  b.warps.resize((n + kWarp - 1) / kWarp);
  if (counting)
    for (std::size_t w = 0; w < b.warps.size(); ++w)
      b.warps[w].lanes = std::make_unique<Lanes>(std::uint64_t{b.linear} * kWarp + w);
  if (n % kWarp) b.warps.back().absent = ~0u << n % kWarp;
  b.left = static_cast<int>(n);
  for (unsigned i = 0; i < n; ++i) {
    Thread& t = b.threads[i];
    t.linear = static_cast<int>(i);
    t.index = {i % grid->threads.x, i / grid->threads.x % grid->threads.y,
               i / grid->threads.x / grid->threads.y};
  }
  // Warps in any order, and lanes from either end.
  std::vector<int> warps(b.warps.size());
  std::iota(warps.begin(), warps.end(), 0);
  std::shuffle(warps.begin(), warps.end(), draws);
  for (const int w : warps) {
    const bool backwards = draws() & 1;
    for (int l = 0; l < kWarp; ++l) {
      const int thread = w * kWarp + (backwards ? kWarp - 1 - l : l);
      if (thread < static_cast<int>(n)) b.order.push_back(thread);
    }
  }
}

void stuck(Block& b) {
  const Thread *ended = nullptr, *barrier = nullptr, *meeting = nullptr;
  for (const Thread& t : b.threads) {
    if (t.done) ended = &t;
    if (!t.done && t.wait == Wait::barrier) barrier = &t;
    if (!t.done && t.wait == Wait::meeting) meeting = &t;
  }
  if (meeting) {
    const int warp = meeting->linear / kWarp;
    for (const auto& [mask, m] : b.warps[static_cast<std::size_t>(warp)].by_mask)
      if (&m == meeting->meeting) {
        const int lane = std::countr_zero(m.missing(mask, b.warps[static_cast<std::size_t>(warp)]));
        const Thread& t = b.threads[static_cast<std::size_t>(warp * kWarp + lane)];
        return report(meeting->place, "{} waits for lane {}, which {} ({})", m.what, lane,
                      t.done ? "has ended" : "waits at " + line_of(t.place), who(*meeting));
      }
  }
  if (barrier)
    return report(
        barrier->place, "not all threads reach this barrier: {} waits here, and {}", who(*barrier),
        ended ? "thread " + text(ended->index) + " has ended" : "other threads wait elsewhere");
  report(0, "the threads of a block wait for each other forever");
}

// Whether all threads wait at the same barrier; else it is a fault.
bool at_one_barrier(const Block& b) {
  const std::uint32_t place = b.threads[0].place;
  for (const Thread& t : b.threads)
    if (t.place != place && line_of(t.place) != line_of(place)) {
      report(t.place,
             "not all threads reach this barrier: {} waits here, and other threads wait at {}",
             who(t), line_of(place));
      return false;
    }
  return true;
}

}  // namespace

void to_scheduler() {
  watching = false;
  self->fiber->suspend();
}

void begin_epochs() {
  launch_epoch = ordered_epoch = next_epoch;
  block_of_epoch.clear();
}
void order_epochs() { ordered_epoch = next_epoch; }
void new_epoch(Block& b) {
  b.epoch = next_epoch++;
  block_of_epoch.push_back(b.linear);
}

void swap_in(Block& b) {
  block = &b;
  forget_shared();
  if (b.threads.empty()) {
    start(b);
    new_epoch(b);
  }
  restore_shared(b.saved);
}

void swap_out(Block& b) { b.saved = save_shared(); }

End run_block(Block& b) {
  for (;;) {
    bool ran = false, only_spins = true;
    for (const int i : b.order) {
      Thread& t = b.threads[static_cast<std::size_t>(i)];
      if (t.done || t.wait != Wait::none) continue;
      ran = true;
      resume(t);
      if (++steps.made; steps.too_many()) fault = "it takes long";
      if (!fault.empty()) return End::fault;
      only_spins = only_spins && t.spins > 16 && !t.done && t.wait == Wait::none;
      if (t.done) --b.left, lane_ended(t);
    }
    if (b.left == 0) {
      merge_all();
      return End::done;
    }
    if (ran) {
      if (only_spins) return End::spins;
      continue;
    }
    const auto waiting = [&](Wait wait) {
      return std::ranges::count_if(b.threads,
                                   [&](const Thread& t) { return !t.done && t.wait == wait; });
    };
    if (waiting(Wait::grid) == b.left) return End::waits;
    const bool all_there = b.left == static_cast<int>(b.threads.size());
    if (waiting(Wait::barrier) != b.left || (checks.barriers && !all_there)) {
      stuck(b);
      return End::fault;
    }
    if (checks.barriers && !at_one_barrier(b)) return End::fault;
    if (counting) places[b.threads[0].place].counts[wb::Count::barriers] += 1;
    merge_all();
    for (Thread& t : b.threads) t.wait = Wait::none, t.spins = 0;
    share_known();
    new_epoch(b);
  }
}

}  // namespace simt
