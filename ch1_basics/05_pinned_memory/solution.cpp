// The exercise, solved: non-temporal stores. They collect a whole cache line and write it to memory
// without fetching it first, and leave the cache to other data. A picture that fits the cache and
// is used right away is better off with plain stores.
#include "in_place.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

inline void develop_past_cache(const std::uint8_t* negative, std::uint8_t* picture, wb::i64 bytes) {
#if defined(__SSE2__)
  constexpr wb::i64 kWidth = sizeof(__m128i);
  const wb::i64 misaligned = reinterpret_cast<std::uintptr_t>(picture) % kWidth;
  const wb::i64 head = std::min(misaligned ? kWidth - misaligned : 0, bytes);
  develop(negative, picture, head);  // up to where 16-byte stores are allowed
  wb::i64 i = head;
  {
    const wb::Span span(wb::Work::compute, "develop");
    const __m128i white = _mm_set1_epi8(-1);
    for (; i + kWidth <= bytes; i += kWidth) {
      const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(negative + i));
      _mm_stream_si128(reinterpret_cast<__m128i*>(picture + i), _mm_sub_epi8(white, pixels));
    }
    _mm_sfence();  // they are weakly ordered: the picture is complete only from here on
  }
  develop(negative + i, picture + i, bytes - i);
#else
  develop(negative, picture, bytes);
#endif
}

void run(const InPlace::Args& p) {
  share(p.bytes, [&](wb::i64 first, wb::i64 size) {
    develop_past_cache(p.negative + first, p.picture + first, size);
  });
}

}  // namespace

WB_CPU(InPlace, solution, run);
