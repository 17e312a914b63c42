// What the harness needs from a device: memory, stream order, time and traces.
// cpu/backend_cpu.cpp and cuda/backend_cuda.cu implement it; backends.h lists them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/build_info.h"
#include "base/clock.h"
#include "model/ceilings.h"
#include "model/needs.h"
#include "model/row.h"
#include "model/trace.h"
#include "wb/variant.h"

namespace wb {

enum class Cache { cold, hot };

struct Region {
  void* data;
  std::size_t bytes;
  Space space;
};

// A launch was ended, for it took more steps than it may (limit_steps). `done`: about what share of
// it was done.
struct TooLong : Unsupported {
  explicit TooLong(double share) : Unsupported("it takes an emulator long"), done(share) {}
  double done;
};

// What stands in front of each launch of a trace, and right behind it: in stream order.
struct Steps {
  std::function<void()> before = {}, after = {};
};

// Of launches, one after the other. Counters that the backend does not take stay empty, as enqueue
// where it is the whole time (CPU) or the clock is the device's.
struct Times {
  std::vector<double> seconds;
  Counters<std::vector<double>> counters{};
  std::vector<LineCounts> lines = {};  // of the last one, by a device that counts
  void add(const Times& more) {
    if (!more.lines.empty()) lines = more.lines;
    seconds.insert(seconds.end(), more.seconds.begin(), more.seconds.end());
    for (std::size_t i = 0; i < counters.size(); ++i)
      std::ranges::copy(more.counters.at(i), std::back_inserter(counters.at(i)));
  }
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;  // in the table of backends.h, which has the traits
  virtual DeviceId device() const = 0;
  virtual Abilities abilities() const { return {}; }
  virtual std::size_t free_bytes(Space space) const = 0;

  // Aligned to 256 bytes. Where the platform can, and it has 64 KiB or more, pages that nobody may
  // touch stand around it: the ones behind begin where `bytes`, rounded up to 256, end. Throws
  // std::bad_alloc when the host refuses, Unsupported when the device does.
  virtual void* allocate(std::size_t bytes, Space space) = 0;
  virtual void release(void* data, Space space) noexcept = 0;
  // The same, for memory that other processes work on, too: a backend of theirs finds it by what
  // place() says of it here. release() is for all three.
  virtual void* share(std::size_t bytes, Space space) = 0;
  virtual std::string place(void* shared, Space space) = 0;
  virtual void* attach(const std::string& place, std::size_t bytes, Space space) = 0;
  // What these gave holds this array and guard bands, for devices that look at each access.
  virtual void outline(void*, std::size_t, const std::string&) {}

  // Synchronous, between plain host memory and memory of `space`.
  virtual void upload(void* to, const void* from, std::size_t bytes, Space space) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes, Space space) = 0;

  // In order on the stream under test. `copy` is within one space. `hold` keeps the stream busy for
  // about that long, so that work which a variant puts elsewhere runs before what is queued here.
  virtual void* stream() = 0;
  virtual void copy(void* to, const void* from, std::size_t bytes, Space space) = 0;
  virtual void fill(void* data, int byte, std::size_t bytes, Space space) = 0;
  virtual void hold(double seconds) = 0;
  virtual void evict(std::span<const Region> arrays) = 0;  // from all caches
  // Copies up to 64 places of 1, 2, 4 or 8 bytes, each to `stride` of `to`, which is pinned memory.
  virtual void pick(std::span<const Region> places, std::byte* to, std::size_t stride) = 0;
  virtual void synchronize_stream() = 0;
  virtual void synchronize() = 0;  // the whole device; throws std::runtime_error on a sticky error
  // After a launch whose stream is done: waits for what still runs elsewhere, and names it, or "".
  virtual std::string left_running() = 0;

  // One launch in stream order, to be timed. Cold: caches are evicted before it (`arrays` are what
  // the problem reads and writes); hot: they are as what was before left them. Clock::wall: the
  // device is done before it and when this returns.
  virtual void time(const Launch& launch, Clock clock, Cache cache,
                    std::span<const Region> arrays) = 0;
  // Waits for the launches since its last call, of which there are at most kPending, and adds them.
  static constexpr int kPending = 64;
  virtual void taken(Times& times) = 0;

  // `iterations` steady-state iterations after a warm-up. Clock::device: enqueued back to back, one
  // synchronization at the end; Clock::wall: synchronized after each; steps.before stands in front
  // of all. Cold only matters for device_seconds: cold passes take both steps and evict for each
  // launch, and are of no use for goodput.
  virtual Trace trace(const Launch& launch, const Steps& steps, Clock clock, Cache cache,
                      int iterations) = 0;

  // What the hardware counts of one launch. It may take several, for a device has few counters:
  // `before` is in front of each, and both return when the device is done.
  using Step = std::function<void()>;
  virtual HardwareCounts count(const Step& /*before*/, const Step& /*launch*/) { return {}; }

  // What slows the device down just now: "throttled: power cap". Empty where nothing is known to.
  virtual std::string trouble() { return ""; }

  // While on, work takes turns that it would not take by itself, so that a missing wait shows: on
  // the CPU each Span of a variant sleeps for a random while at its begin and its end, and threads
  // are stopped for a moment wherever they are; on a GPU other streams keep its multiprocessors and
  // copy engines busy, now and then.
  virtual void disturb(bool on) = 0;

  // How many threads OpenMP offers a variant; 0: as many as at the start.
  virtual void offer_threads(int) {}

  // Where each step of a kernel is emulated: the most that a launch may take from now on. One that
  // takes more ends with TooLong. 0: any number.
  virtual void limit_steps(double) {}

  // After an error: whether the device can still be used. A GPU on which a kernel trapped or that
  // fell off the bus answers every later call with an error.
  virtual bool lost() { return false; }
};

// What allocate(), share() or attach() gave; released with the last who holds it.
inline std::shared_ptr<void> owned(Backend& backend, void* data, Space space) {
  return {data, [&backend, space](void* held) { backend.release(held, space); }};
}

// The one loop in which samples are taken: up to `at_most` launches, as many as fit into `budget`
// seconds of wall time (at least one). `one` prepares a launch and has it timed, `taken` waits as
// Backend::taken does. The first launch alone tells how many fit; then they come in chunks of half
// of what the budget still allows, so that a slow first launch costs few samples.
template <class One, class Taken> Times sample(double budget, int at_most, One one, Taken taken) {
  Times times;
  taken(times);  // what one before left that ended with an exception
  times = {};
  const double start = seconds();
  for (int chunk = 1;;) {
    for (int i = 0; i < chunk; ++i) one();
    taken(times);
    const int done = static_cast<int>(times.seconds.size());
    const double spent = seconds() - start, fit = (budget - spent) / (spent / done);
    if (done >= at_most || fit < 1) return times;
    chunk = static_cast<int>(
        std::clamp(fit / 2, 1.0, double(std::min(Backend::kPending, at_most - done))));
  }
}

// The same of a launch that needs no arrays to be prepared: its seconds.
inline std::vector<double> time_launches(Backend& backend, const Launch& launch, Clock clock,
                                         Cache cache, std::span<const Region> arrays, double budget,
                                         int at_most) {
  return sample(
             budget, at_most, [&] { backend.time(launch, clock, cache, arrays); },
             [&](Times& times) { backend.taken(times); })
      .seconds;
}

}  // namespace wb
