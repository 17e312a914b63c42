// __half and __half2 by their bits. Arithmetic is fp32's, rounded, which for + - * is fp16's own.
#pragma once

#include "cuda_runtime.h"
#include "wb/half.h"

#define SIMT_HALF(TYPE, BITS)                                                                   \
  struct alignas(2) TYPE {                                                                      \
    std::uint16_t bits;                                                                         \
    TYPE() = default;                                                                           \
    TYPE(float x) : bits(BITS(static_cast<double>(x)).bits) {}                                  \
    explicit TYPE(double x) : bits(BITS(x).bits) {}                                             \
    explicit TYPE(int x) : bits(BITS(static_cast<double>(x)).bits) {}                           \
    operator float() const { return std::bit_cast<BITS>(bits); }                                \
  };                                                                                            \
  struct alignas(4) TYPE##2 {                                                                   \
    TYPE x, y;                                                                                  \
    SIMT_ASSIGN(TYPE##2)                                                                        \
  };                                                                                            \
  inline TYPE operator+(TYPE a, TYPE b) { return TYPE(float(a) + float(b)); }                   \
  inline TYPE operator-(TYPE a, TYPE b) { return TYPE(float(a) - float(b)); }                   \
  inline TYPE operator*(TYPE a, TYPE b) { return TYPE(float(a) * float(b)); }                   \
  inline TYPE operator/(TYPE a, TYPE b) { return TYPE(float(a) / float(b)); }                   \
  inline TYPE __hadd(TYPE a, TYPE b) { return a + b; }                                          \
  inline TYPE __hsub(TYPE a, TYPE b) { return a - b; }                                          \
  inline TYPE __hmul(TYPE a, TYPE b) { return a * b; }                                          \
  inline TYPE __hfma(TYPE a, TYPE b, TYPE c) {                                                  \
    return TYPE(double(float(a)) * float(b) + float(c));                                        \
  }                                                                                             \
  inline TYPE __hmax(TYPE a, TYPE b) {                                                          \
    return float(a) > float(b) || float(b) != float(b) ? a : b;                                 \
  }                                                                                             \
  inline TYPE __hmin(TYPE a, TYPE b) {                                                          \
    return float(a) < float(b) || float(b) != float(b) ? a : b;                                 \
  }                                                                                             \
  inline TYPE __hmax_nan(TYPE a, TYPE b) {                                                      \
    return float(a) != float(a) || float(a) > float(b) ? a : b;                                 \
  }                                                                                             \
  inline TYPE##2 __hadd2(TYPE##2 a, TYPE##2 b) { return {a.x + b.x, a.y + b.y}; }               \
  inline TYPE##2 __hsub2(TYPE##2 a, TYPE##2 b) { return {a.x - b.x, a.y - b.y}; }               \
  inline TYPE##2 __hmul2(TYPE##2 a, TYPE##2 b) { return {a.x * b.x, a.y * b.y}; }               \
  inline TYPE##2 __hfma2(TYPE##2 a, TYPE##2 b, TYPE##2 c) {                                     \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                      \
  }                                                                                             \
  inline TYPE##2 __hmax2(TYPE##2 a, TYPE##2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; } \
  inline TYPE##2 __hmin2(TYPE##2 a, TYPE##2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; } \
  inline TYPE##2 __hmax2_nan(TYPE##2 a, TYPE##2 b) {                                            \
    return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};                                        \
  }                                                                                             \
  inline float __low2float(TYPE##2 x) { return x.x; }                                           \
  inline float __high2float(TYPE##2 x) { return x.y; }
SIMT_HALF(__half, wb::half)
using half = __half;
using half2 = __half2;
inline __half __float2half_rn(float x) { return __half(x); }
inline __half __float2half(float x) { return __half(x); }
inline float __half2float(__half x) { return x; }
inline float2 __half22float2(__half2 x) { return {x.x, x.y}; }
inline __half2 __float22half2_rn(float2 x) { return {x.x, x.y}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half __ushort_as_half(unsigned short x) { return std::bit_cast<__half>(x); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
