// An array goes from the host to the device, once, as it is. The variants differ only in the kind
// of host memory that it is in. (The CPU variants ask the same question in in_place.h.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "wb/problem.h"

struct PinnedMemory {
  static constexpr wb::Clock clock = wb::Clock::wall;
  // From 256 MiB, where only bandwidth counts, to 64 KiB, where starting a copy counts too.
  static constexpr wb::Case bench[] = {
      {{"bytes", 1 << 28}}, {{"bytes", 1 << 24}}, {{"bytes", 1 << 20}}, {{"bytes", 1 << 16}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"bytes", 1 << 26}}, {{"bytes", 1 << 24}}, {{"bytes", 1 << 20}}, {{"bytes", 1 << 16}}};
  static constexpr wb::Case test[] = {{{"bytes", 0}},      {{"bytes", 1}},        {{"bytes", 31}},
                                      {{"bytes", 33}},     {{"bytes", 127}},      {{"bytes", 129}},
                                      {{"bytes", 4095}},   {{"bytes", 4097}},     {{"bytes", 8192}},
                                      {{"bytes", 65'537}}, {{"bytes", 2'500'003}}};
  static constexpr wb::Sweep sweeps[] = {{"bytes", 1 << 16, 1 << 30, wb::Show::bandwidth, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"bytes", 1 << 16, 1 << 26, wb::Show::bandwidth, 4}};

  struct Args {
    wb::i64 bytes;
    const std::uint8_t* host;
    std::uint8_t* device;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    return bind_from(io, c, wb::Space::pageable);
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.bytes);
    return {.write = n, .to_device = n};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }  // a copy is exact

  static void reference(const Args& p) { std::copy(p.host, p.host + p.bytes, p.device); }

 protected:
  static Args bind_from(wb::Binder& io, const wb::Case& c, wb::Space space) {
    const wb::i64 bytes = c["bytes"];
    return {bytes, io.in<std::uint8_t>("host", bytes, {}, space),
            io.out<std::uint8_t>("device", bytes)};
  }
};

// The same with host memory that was pinned when it was allocated (cudaMallocHost, cudaHostAlloc).
struct Pinned : PinnedMemory {
  static Args bind(wb::Binder& io, const wb::Case& c) {
    return bind_from(io, c, wb::Space::pinned);
  }
};

// The same with separate pageable memory: an array that one variant registers stays pageable for
// the other variants.
struct Registered : PinnedMemory {};
