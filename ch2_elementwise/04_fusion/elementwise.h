// One elementwise loop for all CPU variants: they differ in what they put into it and how often
// they call it, not in how it moves bytes.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "fusion.h"
#include "wb/cpu.h"
#include "wb/half_cpu.h"

namespace {

using wb::from_float, wb::to_float;

// 2^x to 3 ulp for |x| <= 126, and no call, so that loops with it become vector instructions: x is
// a whole number plus a rest of at most 1/2, for which a polynomial of degree 5 will do (from the
// Remez algorithm, then the best coefficients among floats nearby; the Taylor series needs 6). A
// larger |x| counts as 126 (compared as an integer: one instruction, while min() of floats has to
// take care of NaN).
inline float exp2_inline(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const auto size = std::min(bits & 0x7FFF'FFFF, std::bit_cast<std::uint32_t>(126.0f));
  x = std::bit_cast<float>(size | (bits & 0x8000'0000));
  const float nearest = __builtin_rintf(x), rest = x - nearest;
  float power = 1.32764212e-3f;
  power = power * rest + 9.67545249e-3f;
  power = power * rest + 5.55071682e-2f;
  power = power * rest + 2.40221396e-1f;
  power = power * rest + 6.93146825e-1f;
  power = power * rest + 1;
  const auto whole = static_cast<std::uint32_t>(static_cast<std::int32_t>(nearest)) << 23;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(power) + whole);
}

// v / (1 + exp(-2u))
inline float gelu(float v) {
  constexpr float kLog2E = 1.44269504f, kLinear = -2 * 0.79788456f * kLog2E;
  return v / (1 + exp2_inline(v * (kLinear + kLinear * 0.044715f * v * v)));
}

// What a loop does with an element. One that doesn't ask for the bias or the residual doesn't read
// it.
struct AddBias {
  static constexpr bool kBias = true, kResidual = false;
  float operator()(float x, float bias, float) const { return x + bias; }
};
struct Gelu {
  static constexpr bool kBias = false, kResidual = false;
  float operator()(float x, float, float) const { return gelu(x); }
};
struct Scale {
  static constexpr bool kBias = false, kResidual = false;
  float operator()(float x, float, float) const { return x * kScale; }
};
struct AddResidual {
  static constexpr bool kBias = false, kResidual = true;
  float operator()(float x, float, float residual) const { return x + residual; }
};

// 64 bytes past the caches: an ordinary store first reads the line that it changes. `to` must be
// aligned to 64 bytes. A thread ends with finish_streaming().
inline void stream_line(void* to, const void* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__x86_64__)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i,
                     _mm_loadu_si128(static_cast<const __m128i*>(from) + i));
#else
  std::memcpy(to, from, 64);
#endif
}
inline void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// For L2: asking for L1 gained less when it was tried, and a loop that only adds needs neither.
inline void ask_for(const void* address) { __builtin_prefetch(address, /*write=*/0, /*L2*/ 2); }

// `count` elements of one row; `in` may be `out`.
template <bool kStream, class T, class Op>
void apply_row(wb::i64 count, const T* in, const T* bias, const T* residual, T* out, Op op) {
  const auto value = [&](wb::i64 i) {
    return from_float<T>(op(to_float(in[i]), Op::kBias ? to_float(bias[i]) : 0.0f,
                            Op::kResidual ? to_float(residual[i]) : 0.0f));
  };
  wb::i64 i = 0;
  if constexpr (kStream) {
    constexpr wb::i64 kLine = 64 / sizeof(T), kAhead = 128 * kLine;
    while (i < count && reinterpret_cast<std::uintptr_t>(out + i) % 64 != 0) out[i] = value(i), ++i;
#pragma GCC unroll 8  // the arithmetic of several lines, side by side
    for (; i + kLine <= count; i += kLine) {
      ask_for(in + i + kAhead);
      if (Op::kResidual) ask_for(residual + i + kAhead);
      alignas(64) T line[kLine];
#pragma omp simd
      for (wb::i64 j = 0; j < kLine; ++j) line[j] = value(i + j);
      stream_line(out + i, line);
    }
  }
#pragma omp simd
  for (wb::i64 j = i; j < count; ++j) out[j] = value(j);
}

// y = op(in, bias, residual), on all cores. Arrays that no cache holds are written past the caches.
template <class Op> void apply(const Fusion::Args& p, const void* input, Op op) {
  constexpr wb::i64 kInCache = 4 << 20;  // bytes
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const auto in = static_cast<const T*>(input), bias = static_cast<const T*>(p.bias),
               residual = static_cast<const T*>(p.residual);
    const auto out = static_cast<T*>(p.y);
    const bool stream = p.size() * static_cast<wb::i64>(sizeof(T)) > kInCache;
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (wb::i64 row = 0; row < p.rows; ++row) {
        const wb::i64 start = row * p.columns;
        (stream ? apply_row<true, T, Op> : apply_row<false, T, Op>)(p.columns, in + start, bias,
                                                                    residual + start, out + start,
                                                                    op);
      }
      if (stream) finish_streaming();
    }
  });
}

}  // namespace
