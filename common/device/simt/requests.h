// Requests of warps, put together from what single lanes do.
//
// Lanes run one after the other here, each until it waits for others, so what they do is kept until
// all lanes of a warp have come far enough. Then it is done again as a warp would: of the lanes'
// next accesses the one goes first that is deepest in calls, and of these the one whose instruction
// stands first in the program; all lanes whose next access is the same instruction make one request
// with it. Lanes that skip a branch or leave a loop wait behind it, for what follows stands further
// down. (Collange: Stack-less SIMT reconvergence at low cost, 2011: the lowest program counter goes
// first.) The order in which lanes ran does not matter. That of a loop that waits for other threads
// does: how often it looks is chance.
//
// An access is what the compiler of the emulator makes of the source, at -O1 and without splitting
// variables: one of up to 16 bytes is one request, as nvcc has it where the type is aligned to its
// size. Longer copies, and those of a type that is not aligned, are accesses of 4 bytes, or of 16
// where the address and the size allow it. What nvcc leaves out or moves, and g++ does not,
// differs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace simt {

enum class Kind : std::uint8_t {
  load,
  store,
  shared_load,
  shared_store,
  shared_copy,
  atomic,
  meeting
};

struct Event {
  std::uintptr_t address = 0;  // of a meeting: its lanes
  std::uint32_t place = 0;     // of the instruction, behind the program's begin
  std::uint32_t depth = 0;     // bytes of the stack in use
  std::uint32_t line = 0;      // of a copy to shared memory: which 128 bytes it reads
  std::uint8_t bytes = 0;
  Kind kind = Kind::load;
  bool same(const Event& other) const {
    return place == other.place && kind == other.kind && bytes == other.bytes &&
           depth == other.depth;
  }
};

// One request: which lanes ask for which addresses.
struct Request {
  Event event;
  std::uint32_t lanes = 0;
  std::array<std::uintptr_t, 32> addresses{};
  std::array<std::uint32_t, 32> lines{};
};

// What a request costs is added to the counts of its place, see counts.h.
void count(const Request& request, std::uint64_t warp);

// The accesses of a warp's lanes that are no request yet.
class Lanes {
 public:
  static constexpr std::size_t kMost = 1024;  // of a lane, before others have to come
  void add(int lane, const Event& event) { queues_[static_cast<std::size_t>(lane)].add(event); }
  bool full(int lane) const { return queues_[static_cast<std::size_t>(lane)].size() >= kMost; }
  // Makes requests while it is known what each lane does next; of those that are `stopped`, which
  // wait at a barrier or have ended, nothing more comes.
  void merge(std::uint32_t stopped);
  explicit Lanes(std::uint64_t warp) : warp_(warp) {}  // its number in the launch

 private:
  struct Queue {
    std::vector<Event> events;
    std::size_t next = 0;
    std::size_t size() const { return events.size() - next; }
    const Event& head() const { return events[next]; }
    void add(const Event& event) { events.push_back(event); }
    void pop() {
      if (++next == events.size()) events.clear(), next = 0;
    }
  };
  const std::uint64_t warp_;
  std::array<Queue, 32> queues_;
};

}  // namespace simt
