// The picture is made in a staging buffer, and then copied to where it is needed. So it is written
// twice and read once in between, and if it is larger than the cache, memory sees all of that.
//
// Predict: bytes in and out of memory for each byte of picture, here and in `optimized`? (A store
// first fetches the cache line that it changes.)
#include <vector>

#include "in_place.h"

namespace {

auto make(const InPlace::Args& p) {
  return [p, staging = std::vector<std::uint8_t>(p.bytes)]() mutable {
    share(p.bytes, [&](wb::i64 first, wb::i64 size) {
      develop(p.negative + first, staging.data() + first, size);
    });
    share(p.bytes, [&](wb::i64 first, wb::i64 size) {
      copy(staging.data() + first, p.picture + first, size);
    });
  };
}

}  // namespace

WB_CPU(InPlace, baseline, make);
