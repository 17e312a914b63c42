// What the harness needs from a device: memory, stream order, time and traces.
// cpu/backend_cpu.cpp and cuda/backend_cuda.cu implement it; backends.h lists them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/ceilings.h"
#include "model/trace.h"
#include "wb/variant.h"

namespace wb {

enum class Cache { cold, hot };

struct Region {
  void* data;
  std::size_t bytes;
  Space space;
};

// What stands in front of each launch, and right behind it: untimed, and in stream order.
struct Steps {
  std::function<void()> before = {}, after = {};
};

struct Place {
  const void* data;
  std::size_t bytes;  // 1, 2, 4 or 8
  Space space;
};

// What the rest of the harness needs to know of a kind of device.
struct Traits {
  bool accelerator = false;  // beside the host: memory of its own behind a link, work in a queue
  bool small_cases = false;  // takes the cases that lessons have for a CPU
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;  // in the table of backends.h, which has the traits
  virtual DeviceId device() const = 0;
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
  // Copies up to 64 places, each to `stride` bytes of `to`, which is pinned memory.
  virtual void pick(std::span<const Place> places, std::byte* to, std::size_t stride) = 0;
  virtual void synchronize_stream() = 0;
  virtual void synchronize() = 0;  // the whole device; throws std::runtime_error on a sticky error
  // After a launch whose stream is done: waits for what it left running elsewhere, and names it.
  // "" where that is nothing.
  virtual std::string left_running() = 0;

  // Seconds of each of up to `at_most` launches, as many as fit with their steps into `budget`
  // seconds of wall time (at least one). Cold: caches are evicted before each launch (`arrays` are
  // what the problem reads and writes); hot: they are as the launch before left them.
  virtual std::vector<double> time(const Launch& launch, const Steps& steps, Clock clock,
                                   Cache cache, std::span<const Region> arrays, double budget,
                                   int at_most) = 0;
  // Host seconds until each launch of the last time() had returned, before waiting for the device.
  // Empty where that is the whole time (CPU) or is not taken (Clock::device).
  const std::vector<double>& enqueue_seconds() const { return enqueue_seconds_; }

  // `iterations` steady-state iterations after a warm-up. Clock::device: enqueued back to back, one
  // synchronization at the end; Clock::wall: synchronized after each; steps.before stands in front
  // of all. Cold only matters for device_seconds: cold passes take both steps and evict for each
  // launch, and are of no use for goodput.
  virtual Trace trace(const Launch& launch, const Steps& steps, Clock clock, Cache cache,
                      int iterations) = 0;

  // What slows the device down just now: "throttled: power cap". Empty where nothing is known to.
  virtual std::string trouble() { return ""; }

  // While on, work takes turns that it would not take by itself, so that a missing wait shows: on
  // the CPU each Span of a variant sleeps for a random while at its begin and its end; on a GPU
  // other streams keep its multiprocessors and copy engines busy, now and then.
  virtual void disturb(bool on) = 0;

  // After an error: whether the device can still be used. A GPU on which a kernel trapped or that
  // fell off the bus answers every later call with an error.
  virtual bool lost() { return false; }

 protected:
  std::vector<double> enqueue_seconds_;
};

}  // namespace wb
