// An array goes from the host to the device, once, as it is. All that changes is what kind of host
// memory it lies in. (The CPU variants ask the same question in in_place.h.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "wb/problem.h"

struct PinnedMemory {
  static constexpr wb::Clock clock = wb::Clock::wall;
  // n bytes. From 256 MiB, where only bandwidth counts, to 64 KiB, where starting a copy counts
  // too.
  static constexpr wb::Shape bench[] = {
      {.n = 1 << 28}, {.n = 1 << 24}, {.n = 1 << 20}, {.n = 1 << 16}};
  static constexpr wb::Shape bench_cpu[] = {
      {.n = 1 << 26}, {.n = 1 << 24}, {.n = 1 << 20}, {.n = 1 << 16}};
  static constexpr wb::Shape test[] = {{.n = 0},    {.n = 1},      {.n = 31},       {.n = 33},
                                       {.n = 127},  {.n = 129},    {.n = 4095},     {.n = 4097},
                                       {.n = 8192}, {.n = 65'537}, {.n = 2'500'003}};
  static constexpr wb::Sweep sweeps[] = {
      {"bytes", &wb::Shape::n, 1 << 16, 1 << 30, wb::Show::bandwidth, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"bytes", &wb::Shape::n, 1 << 16, 1 << 26, wb::Show::bandwidth, 4}};

  struct Args {
    wb::i64 bytes;
    const std::uint8_t* host;
    std::uint8_t* device;
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    return bind_from(io, s, wb::Space::pageable);
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.bytes);
    return {.write = n, .to_device = n};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }  // a copy is exact

  static void reference(const Args& p) { std::copy(p.host, p.host + p.bytes, p.device); }

 protected:
  static Args bind_from(wb::Binder& io, const wb::Shape& s, wb::Space space) {
    return {s.n, io.in<std::uint8_t>("host", s.n, {}, space), io.out<std::uint8_t>("device", s.n)};
  }
};

// The same with host memory that was pinned when it was allocated (cudaMallocHost, cudaHostAlloc).
struct Pinned : PinnedMemory {
  static Args bind(wb::Binder& io, const wb::Shape& s) {
    return bind_from(io, s, wb::Space::pinned);
  }
};

// The same with pageable memory of its own: what one variant registers stays pageable for others.
struct Registered : PinnedMemory {};
