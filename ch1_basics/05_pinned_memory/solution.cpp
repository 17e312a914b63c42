// The exercise, solved: non-temporal stores. They collect a whole cache line and write it to memory
// without fetching it first, and leave the cache to other data. A picture that fits the cache and
// is used right away is better off with plain stores. The negative is asked for a page ahead, since
// the hardware's prefetchers stop at the end of each page.
#include "in_place.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

inline void develop_past_cache(const std::uint8_t* negative, std::uint8_t* picture, wb::i64 bytes) {
#if defined(__SSE2__)
  constexpr wb::i64 kWidth = sizeof(__m128i), kLine = 64, kPage = 4096;
  const wb::i64 misaligned = reinterpret_cast<std::uintptr_t>(picture) % kLine;
  const wb::i64 head = std::min(misaligned ? kLine - misaligned : 0, bytes);
  develop(negative, picture, head);  // up to where a line of the picture begins
  wb::i64 i = head;
  {
    const wb::Span span(wb::Work::compute, "develop");
    const __m128i white = _mm_set1_epi8(-1);
    for (; i + kLine <= bytes; i += kLine) {
      _mm_prefetch(reinterpret_cast<const char*>(negative + i + kPage), _MM_HINT_T0);
      for (wb::i64 j = i; j < i + kLine; j += kWidth) {
        const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(negative + j));
        _mm_stream_si128(reinterpret_cast<__m128i*>(picture + j), _mm_sub_epi8(white, pixels));
      }
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
