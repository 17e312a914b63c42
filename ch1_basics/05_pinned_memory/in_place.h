// The lesson on a CPU: data is produced here and needed there. A scanned film negative is turned
// into a picture, a byte a pixel; what changes is whether the picture is made where it is needed,
// or in a staging buffer from which it is copied.
#pragma once

#include <omp.h>

#include "pinned_memory.h"
#include "wb/cpu.h"

struct InPlace : PinnedMemory {
  struct Args {
    wb::i64 bytes;
    const std::uint8_t* negative;
    std::uint8_t* picture;
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 bytes = c["bytes"];
    return {bytes, io.in<std::uint8_t>("negative", bytes), io.out<std::uint8_t>("picture", bytes)};
  }
  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.bytes);
    return {.read = n, .write = n};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }  // integers are exact
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.bytes; ++i) p.picture[i] = 255 - p.negative[i];
  }
};

namespace {

constexpr wb::i64 kWorthThreads = 1 << 21;  // bytes; for less, one core is faster than a barrier

// One core's work.
inline void develop(const std::uint8_t* negative, std::uint8_t* picture, wb::i64 bytes) {
  const wb::Span span(wb::Work::compute, "develop");
  for (wb::i64 i = 0; i < bytes; ++i) picture[i] = 255 - negative[i];
}
inline void copy(const std::uint8_t* from, std::uint8_t* to, wb::i64 bytes) {
  const wb::Span span(wb::Work::copy, "copy");
  std::copy(from, from + bytes, to);
}

// Calls stage(first, size) for equal shares of `bytes`, one per core.
template <class F> void share(wb::i64 bytes, F stage) {
#pragma omp parallel if (bytes >= kWorthThreads)
  {
    const wb::i64 cores = omp_get_num_threads();
    const wb::i64 each = (bytes + cores - 1) / cores, first = each * omp_get_thread_num();
    if (first < bytes) stage(first, std::min(each, bytes - first));
  }
}

}  // namespace
