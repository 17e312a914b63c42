// A register of numbers at a time: in wider vectors GCC picks the larger of two lane by lane.
#pragma once

#include <cstdint>
#include <cstring>

#include "operations.h"
#include "wb/half.h"

constexpr int kLanes = __BIGGEST_ALIGNMENT__ / sizeof(float);  // 16 with AVX-512, 8 with AVX
typedef float Vector __attribute__((vector_size(4 * kLanes)));
typedef std::uint32_t Words __attribute__((vector_size(4 * kLanes)));
typedef std::uint16_t Halves __attribute__((vector_size(2 * kLanes)));

inline Vector filled(float value) { return Vector{} + value; }

// The next of them, as floats. Exact, infinities and NaN as well.
inline Vector load(const float* x) {
  Vector v;
  std::memcpy(&v, x, sizeof v);
  return v;
}
inline Words load_bits(const void* x) {
  Halves bits;
  std::memcpy(&bits, x, sizeof bits);
  return __builtin_convertvector(bits, Words);
}
inline Vector load(const wb::bfloat16* x) { return reinterpret_cast<Vector>(load_bits(x) << 16); }
inline Vector load(const wb::half* x) {  // half's exponents begin 112 higher than float's
  const Words bits = load_bits(x), size = bits & 0x7FFF, sign = (bits & 0x8000) << 16;
  const Vector scaled = reinterpret_cast<Vector>(size << 13) * 0x1p112f;
  const Words infinite = reinterpret_cast<Words>(size >= 0x7C00) & 0x7F80'0000;
  return reinterpret_cast<Vector>(reinterpret_cast<Words>(scaled) | infinite | sign);
}

// The lanes of one become one number, pairwise.
template <class Op> float lanes_reduce(const Vector& v) {
  float value[kLanes];
  std::memcpy(value, &v, sizeof value);
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) value[i] = Op::combine(value[i], value[i + half]);
  return value[0];
}
