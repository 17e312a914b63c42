// The threads of a block, and which of them runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "device/simt/calls.h"
#include "device/simt/fibers.h"
#include "device/simt/known.h"
#include "device/simt/memory.h"
#include "device/simt/requests.h"

namespace simt {

enum class Wait { none, barrier, meeting, grid };

struct Copy {  // in the background
  void* to;
  const void* from;
  std::size_t bytes, zeros;
  const void* pc;
};

struct Warp;
struct Meeting {  // of lanes of a warp
  unsigned arrived = 0;
  int turn = 0;
  std::array<std::array<Value, kWarp>, 3> values;
  const char* what = "";  // the call, and where the first lane made it
  std::uint32_t place = 0;
  bool only_orders = false;  // __syncwarp(): a lane that has ended need not come
  unsigned missing(unsigned mask, const Warp& warp) const;
};

struct Thread {
  Index index;
  int linear;
  Fiber* fiber = nullptr;
  Wait wait = Wait::none;
  bool done = false;
  int spins = 0, counted = 0;
  std::uint32_t place = 0;  // where it waits
  Meeting* meeting = nullptr;
  std::uint32_t releases = 1;
  Moment fenced, fenced_in_block;         // the last fence: for all, and for the block alone
  Known known, seen;                      // seen: by relaxed atomics, and known after a fence
  std::vector<std::vector<Copy>> copies;  // a list for each commit; the last one is open
};

struct Warp {
  std::uint32_t meetings = 0, all_met = 0;  // how many, and the last one of all lanes
  // Of meetings of some lanes alone: the last one by which a lane knows what another one did.
  std::unique_ptr<std::array<std::array<std::uint32_t, kWarp>, kWarp>> met = nullptr;
  unsigned absent = 0, ended = 0;  // lanes that the block does not have, and that have ended
  bool knows = false;              // a lane has something known, since the last barrier
  std::unique_ptr<Lanes> lanes = nullptr;  // where requests are counted
  std::map<unsigned, Meeting> by_mask;
  unsigned last_mask = 0;  // nearly always the next one, too
  Meeting* last = nullptr;
};

struct Block {
  Index index;
  std::uint32_t linear, epoch = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<int> order;  // in which its threads take turns
  int left = 0;            // threads that have not ended
  int count[3] = {};       // of count_at_barrier
  std::vector<SavedShared> saved;
  Known known;  // by all its threads
};

// What runs.
extern const Grid* grid;
extern void (*body)(const void* parameters);
extern Block* block;
extern Thread* self;                // null: no thread
extern std::uintptr_t stack_begin;  // of self

// Whether an access is the kernel's: what the emulator calls may be compiled with a lesson.
extern bool watching;
struct Unwatched {
  const bool before = std::exchange(watching, false);
  ~Unwatched() { watching = before; }
};

extern std::minstd_rand draws;  // of this launch

void forget_atomics();  // of the launch before

void lane_ended(const Thread& t);
void share_known();  // at a barrier: all threads of the block know what one knew

void to_scheduler();  // others may go on; returns when it is this thread's turn again

// The launch begins, with no block. The barrier of the grid: all before it comes before all behind.
void begin_epochs();
void order_epochs();
extern std::uint32_t ordered_epoch;  // what came before it is ordered
void new_epoch(Block& b);
extern std::uint32_t launch_epoch;                 // the first one of this launch
extern std::vector<std::uint32_t> block_of_epoch;  // since then
inline std::uint32_t block_of(std::uint32_t epoch) { return block_of_epoch[epoch - launch_epoch]; }

// Takes the place of the block that ran before. A block comes with its linear index alone.
void swap_in(Block& b);
void swap_out(Block& b);
// `waits`: all threads are at the barrier of the grid. `spins`: they wait for other blocks.
enum class End { done, waits, spins, fault };
End run_block(Block& b);

}  // namespace simt
