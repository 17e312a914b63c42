#include "device/simt/access.h"

#include <algorithm>
#include <string>

#include "device/simt/block.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"
#include "device/simt/lines.h"

namespace simt {

namespace {

// Whether this lane has met the one of its warp that made the access, since then.
bool met(const Access& before) {
  const Warp& warp = block->warps[before.warp];
  if (before.meeting < warp.all_met) return true;
  if (!warp.met) return false;
  if (before.thread == kMany) return before.meeting < warp.meetings;  // which lanes is not known
  const auto own = static_cast<std::size_t>(self->linear) % kWarp;
  return before.meeting < (*warp.met)[own][before.thread % kWarp];
}

bool ordered(const Access& before) {
  if (before.epoch < ordered_epoch) return true;
  const std::uint32_t owner = block_of(before.epoch);
  if (owner == block->linear) {
    if (before.epoch < block->epoch) return true;
    if (before.thread == self->linear) return true;
    if (before.warp == self->linear / kWarp && met(before)) return true;
  }
  return self->known.covers(owner, before) || block->known.covers(owner, before);
}

bool knows_nothing() { return self->known.empty() && block->known.empty(); }

// "thread (1, 0, 0) of the block writes at optimized.cu:12".
std::string act_of(const Access& a, const std::string& does) {
  const std::string at = " at " + line_of(a.place);
  if (block_of(a.epoch) != block->linear || a.many_blocks) return "another block " + does + at;
  if (a.thread == kMany) return "several threads of the block " + does + at;
  return "thread " + text(block->threads[a.thread].index) + " of the block " + does + at;
}

struct Act {
  bool write, atomic;
  std::uint32_t place;
  const char* verb() const { return write ? "this line writes" : "this line reads"; }
};

void touch(Memory& memory, std::size_t word, std::uint8_t bytes, const Act& act) {
  Cell& cell = memory.cells[word];
  Cells::Mask& defined = memory.cells.defined()[word];
  const char* const where = memory.is_shared ? "shared memory" : "an element";
  const auto race = [&](const Access& other, const char* does) {
    report(act.place, "a race: {} {} that {}, and no barrier or fence orders the two", act.verb(),
           where, act_of(other, does));
  };
  const auto races_with = [&](const Access& other) {
    if (!(other.bytes & bytes) || (act.atomic && other.atomic)) return false;
    return !ordered(other) ||
           (other.many_blocks && other.epoch >= ordered_epoch && knows_nothing());
  };
  if (checks.races && races_with(cell.write)) return race(cell.write, "writes");
  if (checks.races && act.write && races_with(cell.read)) return race(cell.read, "reads");
  if (memory.is_shared && memory.cells.pending()[word] & bytes)
    return report(
        act.place,
        "{} {} that an asynchronous copy may not have filled yet: wait for the copy first",
        act.verb(), where);
  const auto thread = static_cast<std::uint16_t>(self->linear);
  const auto warp = static_cast<std::uint8_t>(self->linear / kWarp);
  Access own{block->epoch, act.place, block->warps[warp].meetings, self->releases, thread, warp,
             bytes,        act.atomic};
  if (act.write) {
    cell.write = own;
    defined |= bytes;
    return;
  }
  if (checks.uninitialized && !memory.is_program && (defined & bytes) != bytes)
    return report(act.place,
                  "{} {} that no thread has written yet: is a barrier or a start value missing?",
                  act.verb(), where);
  if (cell.read.epoch == own.epoch && (cell.read.bytes & bytes) &&
      (knows_nothing() || !ordered(cell.read))) {
    if (cell.read.thread != thread) own.thread = kMany;
    if (cell.read.warp != warp) own.warp = kManyWarps;
    own.bytes |= cell.read.bytes;
    own.atomic = act.atomic && cell.read.atomic;
  }
  // Of several blocks one at most is the one that writes later.
  if (cell.read.epoch >= ordered_epoch && (cell.read.bytes & bytes))
    own.many_blocks = cell.read.many_blocks || (cell.read.epoch != block->epoch &&
                                                block_of(cell.read.epoch) != block->linear);
  cell.read = own;
}

void touch_all(Memory& memory, std::uintptr_t at, std::size_t size, const Act& act) {
  const std::size_t first = at - memory.begin, last = first + size;
  for (std::size_t word = first / 4; word * 4 < last && fault.empty(); ++word) {
    const std::size_t from = std::max(first, word * 4) - word * 4;
    const std::size_t to = std::min(last, word * 4 + 4) - word * 4;
    touch(memory, word, static_cast<std::uint8_t>(((1u << to) - 1) & ~((1u << from) - 1)), act);
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

}  // namespace

void note(Kind kind, std::uintptr_t at, std::size_t bytes, const From& from) {
  const std::size_t warp = static_cast<std::size_t>(self->linear) / kWarp;
  const int lane = self->linear % kWarp;
  Lanes& lanes = *block->warps[warp].lanes;
  const auto depth = stack_begin + kStack - reinterpret_cast<std::uintptr_t>(from.frame);
  lanes.add(lane, {at, place_of(from.pc), static_cast<std::uint32_t>(depth),
                   static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from.copied) / 128),
                   static_cast<std::uint8_t>(bytes), kind});
  if (!lanes.full(lane)) return;
  lanes.merge(stopped_lanes(warp));
  if (lanes.full(lane)) to_scheduler();  // others of its warp have to come first
}

// The accesses that a GPU makes of one that the compiler tells, see requests.h.
void note_access(bool shared, bool write, std::uintptr_t at, std::size_t size, const From& from) {
  const Kind kind = from.copied ? Kind::shared_copy
                    : shared    ? (write ? Kind::shared_store : Kind::shared_load)
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
  ++steps.made;
  const Act act{write, atomic, place_of(from.pc)};
  const std::size_t unit = std::min(size, from.alignment);
  if (checks.alignment && size <= 16 && at % unit != 0 && (size & (size - 1)) == 0)
    report(act.place, "{} {} bytes at an address that is not a multiple of {}: {}", act.verb(),
           size, unit, describe_array(address));
  Memory* memory = array_at(at);
  if (!memory) memory = shared_at(at, kGuard);
  if (!memory) memory = program_at(at);
  if (!memory) {
    if (checks.bounds)
      report(act.place, "{} outside of every array, {}", act.verb(), describe_array(address));
  } else {
    const bool in = at >= memory->first && at < memory->last;
    const bool outside = !in || at + size > memory->last;
    if (outside && checks.bounds && memory->is_shared)
      report(act.place, "{} {} of an array in shared memory", act.verb(),
             at < memory->begin ? "before the start" : "past the end");
    else if (outside && checks.bounds)
      report(act.place, "{} {}{}", act.verb(),
             in ? "past the end, from " : "outside of every array, ", describe_array(address));
    else if (outside && (memory->is_shared || at + size > memory->end))
      return;
    else if (!counting)
      touch_all(*memory, at, size, act);
    else if (from.frame && !memory->is_program) {
      // nvcc aligns arrays of shared memory as it likes, but for the one whose size a launch says.
      From own = from;
      if (memory->is_shared && memory != &shared_ranges.front()) own.alignment = 16;
      note_access(memory->is_shared, write, at, size, own);
    }
  }
  if (!fault.empty()) leave();
}

}  // namespace simt
