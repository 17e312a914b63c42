#include "device/simt/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/simt/lines.h"
#include "device/simt/requests.h"
#include "device/simt/shadow.h"

extern "C" char __executable_start;  // by the linker

namespace simt {

Checks checks;
std::uint32_t seed = 1;

namespace {

namespace ctx = boost::context;
constexpr std::size_t kStack = 256 << 10;
// Stacks begin at different places of a page, or all would want the same lines of a cache. The
// distance is a multiple of what Boost.Context aligns a stack to, so a depth of calls is the same.
constexpr std::size_t kSpread = 32 << 10, kNext = 17 * 256;

// ---- memory that kernels may touch: arrays, and a block's shared memory

struct Memory {
  std::uintptr_t begin, end;
  Cells cells;
  bool is_shared = false;
  bool used = true;  // of shared memory: by the block that runs, or the one before
  std::uintptr_t first = begin, last = end;  // what kernels may touch
  std::string name = {};
};
std::map<std::uintptr_t, std::unique_ptr<Memory>> arrays;  // by their ends
std::array<Memory*, 64> last_hits = {};  // of a kernel's arrays, by parts of the address

Memory* array_at(std::uintptr_t at) {
  Memory*& last = last_hits[at >> 12 & 63];
  if (last && at >= last->begin && at < last->end) return last;
  if (in_program(reinterpret_cast<const void*>(at))) return nullptr;  // shared memory lies there
  const auto found = arrays.upper_bound(at);
  if (found == arrays.end() || at < found->second->begin) return nullptr;
  return last = found->second.get();
}

alignas(1024) unsigned char dynamic_memory[1024 + kSharedOptIn + kGuard];
unsigned char* const dynamic = dynamic_memory + 1024;
std::vector<Memory> shared_ranges;  // the dynamic one comes first

void add_shared(std::uintptr_t begin, std::size_t bytes) {
  shared_ranges.push_back({begin, begin + bytes, Cells(bytes), true});
}

// `guard`: or so many bytes in front of it or behind it.
Memory* shared_at(std::uintptr_t at, std::size_t guard = 0) {
  for (Memory& m : shared_ranges)
    if (at + guard >= m.begin && at < m.end + guard) return &m;
  return nullptr;
}

bool is_dynamic(const Memory& m) { return m.begin == reinterpret_cast<std::uintptr_t>(dynamic); }

// ---- threads of a block

enum class Wait { none, barrier, meeting, grid };

struct Thread;
// A fiber and its stack. One whose thread never comes to its end is not told so: its stack is
// simply used again, for kernels own nothing.
struct Worker {
  unsigned char* stack;
  alignas(ctx::fiber) unsigned char storage[sizeof(ctx::fiber)];
  ctx::fiber back;
  Thread* thread = nullptr;
  ctx::fiber& fiber() { return *std::launder(reinterpret_cast<ctx::fiber*>(storage)); }
  Worker()
      : stack(static_cast<unsigned char*>(::mmap(nullptr, kStack + kSpread, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                                                 0))) {
    static std::size_t made = 0;
    if (stack == MAP_FAILED) throw std::bad_alloc();
    stack += made++ * kNext % kSpread;
    begin();
  }
  void begin();
};

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes, zeros;
  const void* pc;
};

struct Meeting {
  unsigned arrived = 0;
  int turn = 0;
  std::array<std::array<Value, kWarp>, 3> values;
  const char* what = "";
};

struct Thread {
  Index index;
  int linear;
  Worker* worker = nullptr;
  Wait wait = Wait::none;
  bool done = false, fenced = false;
  int spins = 0, counted = 0;
  std::uint32_t place = 0;  // where it waits
  Meeting* meeting = nullptr;
  std::vector<std::vector<Copy>> copies;  // a list for each commit; the last one is open
};

struct Warp {
  std::uint16_t meetings = 0;
  std::unique_ptr<Lanes> lanes = nullptr;  // where requests are counted
  std::map<unsigned, Meeting> by_mask;
  unsigned last_mask = 0;  // nearly always the next one, too
  Meeting* last = nullptr;
};

struct Block {
  Index index;
  std::uint32_t linear, epoch = 0;
  bool began = false;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<int> order;
  int left = 0;
  int count[3] = {};                              // of count_at_barrier
  std::vector<std::vector<unsigned char>> saved;  // shared memory, while other blocks run
  std::vector<Cells> saved_cells;
  std::unordered_map<std::uint32_t, std::uint32_t> known;  // of other blocks: up to which epoch
};

// What happened before an atomic access to an address, for who reads it there.
std::unordered_map<const void*, std::unordered_map<std::uint32_t, std::uint32_t>> released;

const Grid* grid = nullptr;
void (*body)(const void*) = nullptr;
Block* block = nullptr;
Thread* self = nullptr;
// Whether an access is the kernel's: what the emulator calls may be compiled with a lesson.
bool watching = false;
struct Unwatched {
  const bool before = std::exchange(watching, false);
  ~Unwatched() { watching = before; }
};
std::uintptr_t stack_begin = 0;  // of self
std::string fault;
std::uint32_t next_epoch = 1, launch_epoch = 1, ordered_epoch = 1;
std::vector<std::uint32_t> block_of_epoch;  // of this launch
std::minstd_rand draws;
std::vector<std::unique_ptr<Worker>> workers;
std::vector<Worker*> idle;

void Worker::begin() {
  struct Stack {  // which outlives the fiber
    unsigned char* begin;
    ctx::stack_context allocate() const {
      ctx::stack_context c;
      c.size = kStack, c.sp = begin + kStack;
      return c;
    }
    void deallocate(ctx::stack_context&) noexcept {}
  };
  new (storage) ctx::fiber(std::allocator_arg, Stack{stack}, [this](ctx::fiber&& from) {
    back = std::move(from);
    for (;;) {
      watching = true;
      body(grid->parameters);
      watching = false;
      thread->done = true;
      back = std::move(back).resume();
    }
    return std::move(back);
  });
}

void to_scheduler() {
  Thread* const own = self;
  Worker* const worker = own->worker;
  watching = false;
  worker->back = std::move(worker->back).resume();
  self = own;
  stack_begin = reinterpret_cast<std::uintptr_t>(worker->stack);
}

void resume(Thread& t) {
  if (!t.worker) {
    if (idle.empty()) {
      workers.push_back(std::make_unique<Worker>());
      idle.push_back(workers.back().get());
    }
    t.worker = idle.back(), idle.pop_back();
    t.worker->thread = &t;
  }
  self = &t;
  stack_begin = reinterpret_cast<std::uintptr_t>(t.worker->stack);
  t.worker->fiber() = std::move(t.worker->fiber()).resume();
  watching = false;
  self = nullptr;
  if (t.done) idle.push_back(std::exchange(t.worker, nullptr));
}

void new_epoch(Block& b) {
  b.epoch = next_epoch++;
  block_of_epoch.push_back(b.linear);
}

std::string text(Index i) { return fmt::format("({}, {}, {})", i.x, i.y, i.z); }
std::string who(const Thread& t) {
  return "thread " + text(t.index) + " of block " + text(block->index);
}

[[noreturn]] void leave() {  // this thread, for good: there is a fault
  to_scheduler();
  std::abort();
}

// Where an access is made, and how deep in calls; without a frame it is part of no request.
struct From {
  const void *pc, *frame = nullptr;
  std::size_t alignment = 16;  // of the type, at most
};
#define SIMT_FROM (simt::From{__builtin_return_address(0), __builtin_frame_address(0)})

std::uint32_t place_of(const void* pc) {
  return static_cast<std::uint32_t>(static_cast<const char*>(pc) - &__executable_start);
}

template <class... A>
void report(std::uint32_t place, fmt::format_string<A...> form, A&&... values) {
  if (!fault.empty()) return;
  fault = line_of(place) + ": " + fmt::format(form, std::forward<A>(values)...);
  if (self) fault += " (" + who(*self) + ")";
}
template <class... A>
[[noreturn]] void fail(const void* pc, fmt::format_string<A...> form, A&&... values) {
  report(place_of(pc), form, std::forward<A>(values)...);
  leave();
}

// ---- what an access is checked for

bool ordered(const Access& before) {
  if (before.epoch < ordered_epoch) return true;
  const std::uint32_t owner = block_of_epoch[before.epoch - launch_epoch];
  if (owner == block->linear) {
    if (before.epoch < block->epoch) return true;
    if (before.thread == self->linear) return true;
    return before.warp == self->linear / kWarp &&
           before.meeting < block->warps[static_cast<std::size_t>(before.warp)].meetings;
  }
  const auto found = block->known.find(owner);
  return found != block->known.end() && found->second >= before.epoch;
}

std::string threads_of(const Access& a) {
  const std::uint32_t owner = block_of_epoch[a.epoch - launch_epoch];
  if (owner != block->linear) return "another block, at " + line_of(a.place);
  if (a.thread == kMany) return "other threads of the block, at " + line_of(a.place);
  return "thread " + text(block->threads[a.thread].index) + " of the block, at " + line_of(a.place);
}

struct Act {
  bool write, atomic;
  std::uint32_t place;
  const char* verb() const { return write ? "writes" : "reads"; }
};

void touch(Cell& cell, std::uint8_t bytes, const Act& act, const char* where) {
  const auto race = [&](const Access& other, const char* its) {
    report(act.place, "a race: {} {} that {}, {}, and nothing orders the two", act.verb(), where,
           threads_of(other), its);
  };
  const auto races_with = [&](const Access& other) {
    return (other.bytes & bytes) && !(act.atomic && other.atomic) && !ordered(other);
  };
  if (checks.races && races_with(cell.write)) return race(cell.write, "writes");
  if (checks.races && act.write && races_with(cell.read)) return race(cell.read, "reads");
  if (cell.pending & bytes)
    return report(act.place,
                  "{} {} that a copy in the background may not have brought yet: wait for it",
                  act.verb(), where);
  const auto thread = static_cast<std::uint16_t>(self->linear);
  const auto warp = static_cast<std::uint16_t>(self->linear / kWarp);
  Access own{block->epoch, act.place, thread, warp, block->warps[warp].meetings, bytes, act.atomic};
  if (act.write) {
    cell.write = own;
    cell.defined |= bytes;
    return;
  }
  if (checks.uninitialized && (cell.defined & bytes) != bytes)
    return report(
        act.place,
        "reads {} that no thread has written yet: is a barrier missing, or a start value?", where);
  if (cell.read.epoch == own.epoch && (cell.read.bytes & bytes)) {
    if (cell.read.thread != thread) own.thread = kMany;
    if (cell.read.warp != warp) own.warp = kMany;
    own.bytes |= cell.read.bytes;
    own.atomic = act.atomic && cell.read.atomic;
  }
  cell.read = own;
}

void touch_all(Memory& memory, std::uintptr_t at, std::size_t size, const Act& act) {
  const std::size_t first = at - memory.begin, last = first + size;
  for (std::size_t word = first / 4; word * 4 < last && fault.empty(); ++word) {
    const std::size_t from = std::max(first, word * 4) - word * 4;
    const std::size_t to = std::min(last, word * 4 + 4) - word * 4;
    touch(memory.cells[word], static_cast<std::uint8_t>(((1u << to) - 1) & ~((1u << from) - 1)),
          act, memory.is_shared ? "shared memory" : "an element");
  }
}

// The lanes of a warp that make no request before others come: they wait, or have ended.
std::uint32_t stopped_lanes(std::size_t warp) {
  std::uint32_t stopped = 0;
  for (std::size_t l = 0; l < kWarp; ++l) {
    const std::size_t linear = warp * kWarp + l;
    if (linear >= block->threads.size() || block->threads[linear].done ||
        block->threads[linear].wait == Wait::barrier || block->threads[linear].wait == Wait::grid)
      stopped |= 1u << l;
  }
  return stopped;
}

void note(Kind kind, std::uintptr_t at, std::size_t bytes, const From& from) {
  const std::size_t warp = static_cast<std::size_t>(self->linear) / kWarp;
  const int lane = self->linear % kWarp;
  Lanes& lanes = *block->warps[warp].lanes;
  const auto depth = stack_begin + kStack - reinterpret_cast<std::uintptr_t>(from.frame);
  lanes.add(lane, {at, place_of(from.pc), static_cast<std::uint32_t>(depth),
                   static_cast<std::uint8_t>(bytes), kind});
  if (!lanes.full(lane)) return;
  lanes.merge(stopped_lanes(warp));
  if (lanes.full(lane)) to_scheduler();  // others of its warp have to come first
}

// The accesses that a GPU makes of one that the compiler tells, see requests.h.
void note_access(bool shared, bool write, std::uintptr_t at, std::size_t size, const From& from) {
  const Kind kind = shared ? (write ? Kind::shared_store : Kind::shared_load)
                           : (write ? Kind::store : Kind::load);
  std::size_t piece = size;
  if (size > 16 || (size & (size - 1)) || at % size || from.alignment < size)
    for (piece = from.alignment; (at | size) % piece;) piece /= 2;
  for (std::size_t done = 0; done < size; done += piece) note(kind, at + done, piece, from);
}

void merge_all() {  // all threads of the block wait, or have ended
  for (Warp& warp : block->warps)
    if (warp.lanes) warp.lanes->merge(~0u);
}

void access(const void* address, std::size_t size, bool write, bool atomic, const From& from) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto parameters = reinterpret_cast<std::uintptr_t>(grid->parameters);
  if (at - stack_begin < kStack || at - parameters < grid->parameter_bytes) return;
  const Unwatched unwatched;
  const Act act{write, atomic, place_of(from.pc)};
  const std::size_t unit = std::min(size, from.alignment);
  if (checks.alignment && size <= 16 && at % unit != 0 && (size & (size - 1)) == 0)
    report(act.place, "{} {} bytes at an address that is no multiple of {}, in {}", act.verb(),
           size, unit, describe_array(address));
  Memory* memory = array_at(at);
  if (!memory) memory = shared_at(at, kGuard);
  if (!memory) {
    if (in_program(address)) return;
    if (checks.bounds)
      report(act.place, "{} outside of every array, {}", act.verb(), describe_array(address));
  } else {
    const std::uintptr_t last =
        is_dynamic(*memory) ? memory->begin + grid->shared_bytes : memory->last;
    const bool in = at >= memory->first && at < last, outside = !in || at + size > last;
    if (outside && checks.bounds && memory->is_shared)
      report(act.place, "{} {} of an array in shared memory", act.verb(),
             at < memory->begin ? "in front of the begin" : "beyond the end");
    else if (outside && checks.bounds)
      report(act.place, "{} {} {}", act.verb(),
             in ? "beyond the end of" : "outside of every array,", describe_array(address));
    else if (outside && (memory->is_shared || at + size > memory->end))
      return;
    else if (!counting)
      touch_all(*memory, at, size, act);
    else if (from.frame)
      note_access(memory->is_shared, write, at, size, from);
  }
  if (!fault.empty()) leave();
}

// ---- blocks

void start(Block& b) {
  const unsigned n = grid->threads.x * grid->threads.y * grid->threads.z;
  b.index = {b.linear % grid->blocks.x, b.linear / grid->blocks.x % grid->blocks.y,
             b.linear / grid->blocks.x / grid->blocks.y};
  b.threads.resize(n);
  b.warps.resize((n + kWarp - 1) / kWarp);
  if (counting)
    for (std::size_t w = 0; w < b.warps.size(); ++w)
      b.warps[w].lanes = std::make_unique<Lanes>(std::uint64_t{b.linear} * kWarp + w);
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
  b.began = true;
}

std::size_t bytes_of(const Memory& m) {
  return !m.used ? 0 : is_dynamic(m) ? grid->shared_bytes : m.end - m.begin;
}

// A block finds nothing of the one before it. The arrays of other kernels cost nothing.
void forget_shared() {
  for (Memory& m : shared_ranges) {
    const std::size_t bytes = bytes_of(m);
    m.used = is_dynamic(m);
    std::memset(reinterpret_cast<void*>(m.begin), 0xFF, bytes);
    for (std::size_t word = 0; word * 4 < bytes; ++word) m.cells[word] = {};
  }
}

void swap_in(Block& b) {
  block = &b;
  forget_shared();
  if (!b.began) {
    start(b);
    new_epoch(b);
  }
  for (std::size_t i = 0; i < b.saved.size(); ++i) {
    Memory& m = shared_ranges[i];
    if (b.saved[i].empty()) continue;
    std::memcpy(reinterpret_cast<void*>(m.begin), b.saved[i].data(), b.saved[i].size());
    std::swap(m.cells, b.saved_cells[i]);
    m.used = true;
  }
}

void swap_out(Block& b) {
  b.saved.clear(), b.saved_cells.clear();
  for (Memory& m : shared_ranges) {
    const auto* from = reinterpret_cast<const unsigned char*>(m.begin);
    const std::size_t bytes = bytes_of(m);
    b.saved.emplace_back(from, from + bytes);
    b.saved_cells.push_back(bytes ? Cells(m.end - m.begin) : Cells());
    if (bytes) std::swap(m.cells, b.saved_cells.back());
    m.used = is_dynamic(m);
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
      if (&m == meeting->meeting)
        for (int l = 0; l < kWarp; ++l)
          if ((mask >> l & 1) && !(m.arrived >> l & 1)) {
            const auto linear = static_cast<std::size_t>(warp * kWarp + l);
            const bool exists = linear < b.threads.size();
            return report(meeting->place, "{} waits for lane {}, which {} ({})", m.what, l,
                          !exists                  ? "the block does not have"
                          : b.threads[linear].done ? "has ended"
                                                   : "waits at " + line_of(b.threads[linear].place),
                          who(*meeting));
          }
  }
  if (barrier)
    return report(barrier->place, "a barrier that not all threads reach: {} waits, and {}",
                  who(*barrier),
                  ended ? "thread " + text(ended->index) + " has ended" : "others wait elsewhere");
  report(0, "threads of a block wait for each other for ever");
}

enum class End { done, waits, spins, fault };

End run_block(Block& b) {
  for (;;) {
    bool ran = false, only_spins = true;
    for (const int i : b.order) {
      Thread& t = b.threads[static_cast<std::size_t>(i)];
      if (t.done || t.wait != Wait::none) continue;
      ran = true;
      resume(t);
      if (!fault.empty()) return End::fault;
      only_spins = only_spins && t.spins > 16 && !t.done && t.wait == Wait::none;
      if (t.done) --b.left;
    }
    if (b.left == 0) {
      merge_all();
      return End::done;
    }
    if (ran) {
      if (only_spins) return End::spins;
      continue;
    }
    int at_barrier = 0, at_grid = 0;
    for (const Thread& t : b.threads) {
      at_barrier += !t.done && t.wait == Wait::barrier;
      at_grid += !t.done && t.wait == Wait::grid;
    }
    if (at_grid == b.left) return End::waits;
    const bool all_there = at_barrier == static_cast<int>(b.threads.size());
    if (at_barrier == b.left && (all_there || !checks.barriers)) {
      const std::uint32_t place = b.threads[0].place;
      if (checks.barriers)
        for (const Thread& t : b.threads)
          if (t.place != place && line_of(t.place) != line_of(place)) {
            report(t.place,
                   "a barrier that not all threads reach: some wait here, others at {} ({})",
                   line_of(place), who(t));
            return End::fault;
          }
      if (counting) places[place].counts[wb::Count::barriers] += 1;
      merge_all();
      for (Thread& t : b.threads) t.wait = Wait::none, t.spins = 0;
      new_epoch(b);
      continue;
    }
    stuck(b);
    return End::fault;
  }
}

}  // namespace

void begin_seed() {
  if (const char* text = std::getenv("WB_SEED"))
    seed = static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  const char* text = std::getenv("WB_SIMT");
  const std::string off = text ? text : "";
  const auto on = [&](const char* name) {
    return off.find(std::string("no-") + name) == std::string::npos;
  };
  checks = {on("bounds"), on("races"), on("uninitialized"), on("alignment"), on("barriers")};
}

std::string run(const Grid& g, void (*kernel)(const void*)) {
  if (shared_ranges.empty()) add_shared(reinterpret_cast<std::uintptr_t>(dynamic), kSharedOptIn);
  grid = &g, body = kernel;
  fault.clear();
  draws.seed(seed++);  // each launch has an order of its own
  launch_epoch = ordered_epoch = next_epoch;
  block_of_epoch.clear();
  released.clear();
  const std::uint32_t total = g.blocks.x * g.blocks.y * g.blocks.z;
  if (counting) counted_blocks += total;
  // i * factor + shift, modulo the number of blocks: each comes once.
  std::uint32_t factor = total > 2 ? draws() % total : 1;
  while (factor == 0 || std::gcd(factor, total) != 1) factor = factor % total + 1;
  const std::uint32_t shift = draws() % total;
  std::deque<std::unique_ptr<Block>> aside;
  std::uint32_t started = 0;
  int idle_rounds = 0;
  const std::size_t most = g.cooperative ? total : 64;  // at the same time
  std::size_t waiting = 0;                              // of those put aside: at the grid's barrier
  while (started < total || !aside.empty()) {
    std::unique_ptr<Block> b;
    const bool new_one = started < total && aside.size() < most &&
                         (g.cooperative || idle_rounds > 0 || aside.empty());
    if (new_one) {
      b = std::make_unique<Block>();
      b->linear = static_cast<std::uint32_t>((std::uint64_t{started++} * factor + shift) % total);
    } else {
      b = std::move(aside.front());
      aside.pop_front();
    }
    swap_in(*b);
    const End end = run_block(*b);
    if (end == End::fault) break;
    if (end == End::done) {
      idle_rounds = 0;
      continue;
    }
    swap_out(*b);
    waiting = end == End::waits ? waiting + 1 : 0;
    aside.push_back(std::move(b));
    if (end == End::waits && started == total && waiting >= aside.size()) {
      for (auto& each : aside)
        for (Thread& t : each->threads) t.wait = Wait::none;
      ordered_epoch = next_epoch;
      for (auto& each : aside) new_epoch(*each);
      waiting = 0;
    }
    if (end == End::spins && ++idle_rounds > 10000) {
      report(0, "blocks wait for each other for ever");
      break;
    }
  }
  if (!fault.empty())  // their stacks are used again
    for (auto& w : workers)
      if (std::find(idle.begin(), idle.end(), w.get()) == idle.end())
        w->begin(), idle.push_back(w.get());
  block = nullptr, self = nullptr, grid = nullptr, body = nullptr;
  return fault;
}

void add_array(const void* data, std::size_t bytes, bool defined) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (bytes == 0) return;
  remove_array(data);
  auto array = std::make_unique<Memory>(Memory{begin, begin + bytes, Cells(bytes)});
  if (defined) array->cells.set(&Cell::defined, 0, bytes, true);
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
    a->cells.set(&Cell::defined, at - a->begin, std::min(at - a->begin + bytes, a->end - a->begin),
                 defined);
}

void outline_array(const void* part, std::size_t bytes, const std::string& name) {
  const auto at = reinterpret_cast<std::uintptr_t>(part);
  if (Memory* a = array_at(at)) a->first = at, a->last = at + bytes, a->name = name;
}

std::uintptr_t shared_begin(const void* data) {
  const Memory* range = shared_at(reinterpret_cast<std::uintptr_t>(data));
  return range ? range->begin : 0;
}

std::string describe_array(const void* data) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto from = [&](const Memory& a) {
    const std::string array = fmt::format(
        "{} of {} bytes", a.name.empty() ? "an array" : a.name + ", an array", a.last - a.first);
    if (at >= a.last) return fmt::format("{} bytes behind {}", at - a.last, array);
    if (at < a.first) return fmt::format("{} bytes in front of {}", a.first - at, array);
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

Index thread_index() noexcept { return self->index; }
Index block_index() noexcept { return block->index; }
Size block_size() noexcept { return grid->threads; }
Size grid_size() noexcept { return grid->blocks; }
int lane_index() noexcept { return self->linear % kWarp; }
int linear_thread() noexcept { return self->linear; }

void unknown_instruction(const char* text, const void* pc) {
  const Unwatched unwatched;
  const std::string_view all = text;
  fail(pc, "needs a GPU: the emulator does not know the instruction \"{}\"",
       all.substr(0, std::min<std::size_t>(all.find(' '), 60)));
}

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

void shared_range(const void* data, std::size_t bytes) {
  const Unwatched unwatched;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  if (Memory* known = shared_at(begin)) {
    known->used = true;
    return;
  }
  add_shared(begin, bytes);
  std::memset(const_cast<void*>(data), 0xFF, bytes);
}
void* dynamic_shared_memory() noexcept { return dynamic; }

std::uint32_t shared_address(const void* data) noexcept {
  return static_cast<std::uint32_t>(static_cast<const char*>(data) - &__executable_start);
}
void* shared_pointer(std::uint32_t address) noexcept { return &__executable_start + address; }
void touched(const void* data, std::size_t bytes, bool write, const void* pc) {
  access(data, bytes, write, false, {pc});
}
void requested(const void* data, std::size_t bytes, const void* pc) {
  if (!counting) return;
  const Unwatched unwatched;
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  note_access(!array_at(at), false, at, bytes, {pc, SIMT_FROM.frame});
}

namespace {
void set_pending(const void* data, std::size_t bytes, bool pending) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  if (Memory* r = shared_at(at))
    r->cells.set(&Cell::pending, at - r->begin, at - r->begin + bytes, pending);
}
void do_copy(const Copy& c) {
  set_pending(c.to, c.bytes + c.zeros, false);
  std::memcpy(c.to, c.from, c.bytes);
  std::memset(static_cast<char*>(c.to) + c.bytes, 0, c.zeros);
  access(c.to, c.bytes + c.zeros, true, false, {c.pc});  // for others it is written now
}
}  // namespace

void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros, const void* pc) {
  const Unwatched unwatched;
  if (!pc) pc = __builtin_return_address(0);
  const From own{pc, SIMT_FROM.frame};
  if (bytes) access(from, bytes, false, false, own);
  access(to, bytes + zeros, true, false, own);
  if (self->copies.empty()) self->copies.emplace_back();
  self->copies.back().push_back({to, from, bytes, zeros, pc});
  set_pending(to, bytes + zeros, true);
}
void commit_copies() {
  const Unwatched unwatched;
  if (self->copies.empty()) self->copies.emplace_back();
  self->copies.emplace_back();
}
void wait_for_copies(int but) {
  const Unwatched unwatched;
  auto& all = self->copies;
  // The last list is open: `but` commits in front of it may go on.
  const int closed = static_cast<int>(all.size()) - 1;
  for (int i = 0; i < closed - but; ++i) {
    for (const Copy& c : all.front()) do_copy(c);
    all.erase(all.begin());
  }
}

}  // namespace simt

// What the compiler calls for an access.
extern "C" {
#define SIMT_HOOK(NAME, BYTES, WRITE)                                          \
  void NAME(void* address) {                                                   \
    if (simt::watching) simt::access(address, BYTES, WRITE, false, SIMT_FROM); \
  }
#define SIMT_HOOKS(BYTES)                                                                 \
  SIMT_HOOK(__tsan_read##BYTES, BYTES, false)                                             \
  SIMT_HOOK(__tsan_write##BYTES, BYTES, true)                                             \
  SIMT_HOOK(__tsan_unaligned_read##BYTES, BYTES, false)                                   \
  SIMT_HOOK(__tsan_unaligned_write##BYTES, BYTES, true)                                   \
  void __tsan_volatile_read##BYTES(void* address) {                                       \
    if (!simt::watching) return;                                                          \
    simt::spin();                                                                         \
    simt::access(address, BYTES, false, true, SIMT_FROM);                                 \
  }                                                                                       \
  SIMT_HOOK(__tsan_volatile_write##BYTES, BYTES, true)                                    \
  void __tsan_unaligned_volatile_read##BYTES(void* a) { __tsan_volatile_read##BYTES(a); } \
  void __tsan_unaligned_volatile_write##BYTES(void* a) { __tsan_volatile_write##BYTES(a); }
SIMT_HOOKS(1)
SIMT_HOOKS(2)
SIMT_HOOKS(4)
SIMT_HOOKS(8)
SIMT_HOOKS(16)
// Of a type that is not aligned to its size, or is larger than 16 bytes. One of 16 bytes that is
// aligned to 8 comes as if it were aligned to 16: a multiple of 8 is then said to be wrong.
#define SIMT_RANGE(NAME, WRITE)                                                    \
  void NAME(void* address, std::size_t bytes) {                                    \
    simt::From from = SIMT_FROM;                                                   \
    if (bytes <= 16) from.alignment = 4;                                           \
    if (simt::watching && bytes) simt::access(address, bytes, WRITE, false, from); \
  }
SIMT_RANGE(__tsan_read_range, false)
SIMT_RANGE(__tsan_write_range, true)
// Atomic accesses of C++ itself, as in shared_ptr: the host's.
#define SIMT_HOST_ATOMICS(BITS, T)                                                           \
  T __tsan_atomic##BITS##_load(const volatile T* at, int) { return __atomic_load_n(at, 5); } \
  void __tsan_atomic##BITS##_store(volatile T* at, T x, int) { __atomic_store_n(at, x, 5); } \
  T __tsan_atomic##BITS##_exchange(volatile T* at, T x, int) {                               \
    return __atomic_exchange_n(at, x, 5);                                                    \
  }                                                                                          \
  T __tsan_atomic##BITS##_fetch_add(volatile T* at, T x, int) {                              \
    return __atomic_fetch_add(at, x, 5);                                                     \
  }                                                                                          \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* at, T x, int) {                              \
    return __atomic_fetch_sub(at, x, 5);                                                     \
  }                                                                                          \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* at, T* old, T x, int, int) { \
    return __atomic_compare_exchange_n(at, old, x, false, 5, 5);                             \
  }                                                                                          \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* at, T* old, T x, int, int) {   \
    return __atomic_compare_exchange_n(at, old, x, false, 5, 5);                             \
  }
SIMT_HOST_ATOMICS(8, std::uint8_t)
SIMT_HOST_ATOMICS(32, std::uint32_t)
SIMT_HOST_ATOMICS(64, std::uint64_t)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
}
