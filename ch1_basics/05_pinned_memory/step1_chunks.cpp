// Against the baseline: a staging buffer of 4 KiB per core, used again and again. The same copies,
// but the bytes that are copied have just been written and are in the first-level cache. (The
// driver copies pageable memory to the GPU the same way: piece by piece through a small buffer.)
//
// Predict: which of the baseline's trips to memory are gone? What does `optimized` share with the
// trips that are left?
#include <array>
#include <vector>

#include "in_place.h"

namespace {

using Staging = std::array<std::uint8_t, 4 << 10>;

auto make(const InPlace::Args& p) {
  return [p, staging = std::vector<Staging>(omp_get_max_threads())]() mutable {
    share(p.bytes, [&](wb::i64 first, wb::i64 size) {
      Staging& own = staging[omp_get_thread_num()];
      const wb::i64 chunk = own.size();
      for (wb::i64 done = 0; done < size; done += chunk) {
        const wb::i64 now = std::min(chunk, size - done);
        develop(p.negative + first + done, own.data(), now);
        copy(own.data(), p.picture + first + done, now);
      }
    });
  };
}

}  // namespace

WB_CPU(InPlace, step1_chunks, make);
