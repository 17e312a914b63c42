// Changes against step 2: a large result goes past the caches to memory. An ordinary store first
// reads the line that it changes; a streaming store does not, provided that it writes all of it.
//
// Predict: how many bytes move for an element of fp32 gelu before and after, and of add?
#include <algorithm>

#include "blocks.h"
#include "wb/cpu.h"

namespace {

constexpr int kLine = 64, kPiece = 4 * kLine;  // bytes
constexpr wb::i64 kLarge = 4 << 20;            // bytes; less may well be read again from a cache

// Writes a piece, whole lines; both pointers are at the start of one.
void stream(void* to, const void* from) {
#if defined(__AVX__)
  for (int i = 0; i < kPiece / 32; ++i)
    _mm256_stream_si256(static_cast<__m256i*>(to) + i, static_cast<const __m256i*>(from)[i]);
#elif defined(__SSE2__)
  for (int i = 0; i < kPiece / 16; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i, static_cast<const __m128i*>(from)[i]);
#else
  std::memcpy(to, from, kPiece);
#endif
}

// A few lines at a time: read, computed and sent off before the next. (With 2 KiB at a time, memory
// waits for the core and then the core for memory.)
template <class Op, class T> void compute(Op op, const T* x, const T* y, T* z, wb::i64 count) {
  constexpr int kElements = kPiece / sizeof(T);
  const bool large = count * static_cast<wb::i64>(sizeof(T)) >= kLarge;
  const auto plain = [&](wb::i64 from, wb::i64 to) {  // fewer than a piece has
    compute_block(op, x + from, op.binary ? y + from : y, z + from, static_cast<int>(to - from));
  };
  // An unaligned array has elements before its first whole line.
  const wb::i64 before = (kLine - reinterpret_cast<std::uintptr_t>(z) % kLine) % kLine / sizeof(T);
  const wb::i64 first = std::min(before, count);
  const wb::i64 end = first + (count - first) / kElements * kElements;
  plain(0, first);
#pragma omp parallel if (count >= kWorthThreads)
  {
#pragma omp for schedule(static) nowait
    for (wb::i64 i = first; i < end; i += kElements) {
      alignas(kLine) T piece[kElements];
      compute_block(op, x + i, op.binary ? y + i : y, piece, kElements);
      large ? stream(z + i, piece) : void(std::memcpy(z + i, piece, kPiece));
    }
#if defined(__SSE2__)
    _mm_sfence();  // streaming stores are not ordered with what follows
#endif
  }
  plain(end, count);
}

void run(const Operations::Args& p) {
  with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
    using T = decltype(zero);
    compute(op, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z),
            p.count);
  });
}

}  // namespace

WB_CPU(Operations, optimized, run);
