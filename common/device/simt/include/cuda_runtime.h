// CUDA C++ as the lessons use it, for g++: the language here, the runtime's calls in
// simt_runtime.h. translate.cpp has seen to <<<...>>>, __shared__ and asm before.
#pragma once

#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device/simt/calls.h"
#include "simt_runtime.h"
#include "vector_types.h"

// Inlined, as nvcc does: g++ tells nothing of a struct that a call takes from memory, or leaves
// there.
#define __device__ __attribute__((always_inline))
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __align__(N) alignas(N)
#define __launch_bounds__(...)
constexpr int warpSize = 32;

namespace simt {

// ---- launches

struct Config {
  dim3 blocks, threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
  Config(dim3 b, dim3 t, std::size_t bytes = 0, cudaStream_t s = nullptr)
      : blocks(b), threads(t), shared_bytes(bytes), stream(s) {}
};

// The arguments are copied now and the kernel runs later, as on a GPU.
template <class F, class... A> void launch(F kernel, const Config& c, A... values) {
  enqueue_kernel(c.blocks, c.threads, c.shared_bytes, c.stream,
                 body_of(kernel, std::tuple<A...>(values...)));
}

// A kernel that is launched by its address and an array of pointers to its arguments.
template <class... A> bool known_kernel(void (*kernel)(A...)) {
  return add_kernel(reinterpret_cast<const void*>(kernel), [kernel](void** values) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return body_of(kernel, std::tuple<A...>(*static_cast<A*>(values[I])...));
    }
    (std::index_sequence_for<A...>{});
  });
}

// ---- shared memory

struct Anything {
  void* data;
  template <class T> operator T*() const { return static_cast<T*>(data); }
};
inline Anything dynamic_shared() { return {dynamic_shared_memory()}; }
template <class T> void shared(T& array) {
  shared_range(const_cast<std::remove_cv_t<T>*>(&array), sizeof array);
}

// ---- PTX: by its text, with the addresses and sizes of its operands

struct Operand {
  void* data;
  std::size_t bytes;
};
template <class T> Operand out(T& x) { return {const_cast<std::remove_const_t<T>*>(&x), sizeof x}; }
template <class T> Operand in_out(T& x) { return out(x); }
struct Input {
  unsigned char bytes[16];
  template <class T> Input(T x) {
    static_assert(sizeof x <= sizeof bytes);
    std::memcpy(bytes, &x, sizeof x);
  }
  template <class T> T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
};
template <class T> Input in(T x) { return Input(x); }
void ptx(const char* text, std::initializer_list<Operand> outputs,
         std::initializer_list<Input> inputs);

// Inlined, so that a fault has the line of the kernel.
#define SIMT_INLINE __attribute__((always_inline)) inline
// What is the emulator's own is no access of the kernel.
#define SIMT_PLAIN __attribute__((no_sanitize("thread"), noinline))

template <class T> SIMT_PLAIN T lane_of(const Value* all, int lane) {
  T value;
  std::memcpy(&value, all[lane].bytes, sizeof value);
  return value;
}

}  // namespace simt

// ---- barriers, fences, votes, shuffles

#define __syncthreads() simt::block_barrier()
SIMT_INLINE int __syncthreads_count(int predicate) { return simt::count_at_barrier(predicate); }
SIMT_INLINE int __syncthreads_or(int predicate) { return simt::count_at_barrier(predicate) != 0; }
SIMT_INLINE int __syncthreads_and(int predicate) { return simt::count_at_barrier(!predicate) == 0; }
SIMT_INLINE void __syncwarp(unsigned mask = 0xFFFFFFFFu) {
  const int none = 0;
  simt::meet(mask, &none, sizeof none, "__syncwarp");
}
SIMT_INLINE void __threadfence() { simt::fence(); }
SIMT_INLINE void __threadfence_block() { simt::fence(true); }
SIMT_INLINE void __threadfence_system() { simt::fence(); }
SIMT_INLINE void __nanosleep(unsigned) { simt::spin(); }
// Which lanes are together is chance, so a lane may find itself alone; here it always does.
SIMT_INLINE unsigned __activemask() { return 1u << simt::lane_index(); }

template <class T> SIMT_INLINE T simt_shuffle(unsigned mask, T value, int from, const char* what) {
  static_assert(sizeof(T) <= 16);
  const simt::Value* all = simt::meet(mask, &value, sizeof value, what);
  if (!(simt::lanes_there(mask) >> from & 1)) simt::lane_left_out(what, from, mask >> from & 1);
  return simt::lane_of<T>(all, from);
}
template <class T> SIMT_INLINE T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
  return simt_shuffle(mask, value, (simt::lane_index() & ~(width - 1)) | (from & (width - 1)),
                      "__shfl_sync");
}
template <class T> SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = simt::lane_index(), from = lane ^ bits;
  return simt_shuffle(mask, value, from / width > lane / width ? lane : from, "__shfl_xor_sync");
}
template <class T>
SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = simt::lane_index(), from = lane + static_cast<int>(by);
  return simt_shuffle(mask, value, from / width != lane / width ? lane : from, "__shfl_down_sync");
}
template <class T>
SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int lane = simt::lane_index(), from = lane - static_cast<int>(by);
  return simt_shuffle(mask, value, from < (lane & ~(width - 1)) ? lane : from, "__shfl_up_sync");
}
// The lanes of the mask whose value f takes.
template <class T, class F>
SIMT_INLINE unsigned simt_lanes(unsigned mask, T value, const char* what, F f) {
  const simt::Value* all = simt::meet(mask, &value, sizeof value, what);
  unsigned taken = 0;
  mask = simt::lanes_there(mask);
  for (int l = 0; l < 32; ++l)
    if ((mask >> l & 1) && f(simt::lane_of<T>(all, l))) taken |= 1u << l;
  return taken;
}
SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return simt_lanes(mask, predicate, "__ballot_sync", [](int other) { return other != 0; });
}
SIMT_INLINE int __all_sync(unsigned mask, int predicate) {
  return !simt_lanes(mask, predicate, "__all_sync", [](int other) { return other == 0; });
}
SIMT_INLINE int __any_sync(unsigned mask, int predicate) {
  return simt_lanes(mask, predicate, "__any_sync", [](int other) { return other != 0; }) != 0;
}
template <class T> SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return simt_lanes(mask, value, "__match_any_sync", [&](T other) { return other == value; });
}
#define SIMT_REDUCE(NAME, T, EXPRESSION)                                                        \
  SIMT_INLINE T __reduce_##NAME##_sync(unsigned mask, T value) {                                \
    T a = value, b;                                                                             \
    const int own = simt::lane_index();                                                         \
    const simt::Value* all = simt::meet(mask, &value, sizeof value, "__reduce_" #NAME "_sync"); \
    mask = simt::lanes_there(mask);                                                             \
    for (int l = 0; l < 32; ++l)                                                                \
      if ((mask >> l & 1) && l != own) b = simt::lane_of<T>(all, l), a = EXPRESSION;            \
    return a;                                                                                   \
  }
SIMT_REDUCE(add, unsigned, a + b)
SIMT_REDUCE(add, int, static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)))
SIMT_REDUCE(max, unsigned, a < b ? b : a)
SIMT_REDUCE(max, int, a < b ? b : a)
SIMT_REDUCE(min, unsigned, b < a ? b : a)
SIMT_REDUCE(min, int, b < a ? b : a)
SIMT_REDUCE(and, unsigned, a& b)
SIMT_REDUCE(or, unsigned, a | b)
SIMT_REDUCE(xor, unsigned, a ^ b)

// ---- atomics: relaxed, as CUDA's are

template <class T, class F> SIMT_PLAIN T simt_change(T* at, F f) {
  const T before = *at;
  *at = f(before);
  return before;
}
template <class T, class F>
SIMT_INLINE T simt_atomic(T* at, F f, simt::Order order = simt::Order::relaxed) {
  simt::atomic(at, sizeof(T), order);
  return simt_change(at, f);
}
template <class T> SIMT_PLAIN T simt_plain_read(const T* at) { return *at; }
#define SIMT_ATOMIC(NAME, EXPRESSION)                                               \
  template <class T> SIMT_INLINE T atomic##NAME(T* at, std::type_identity_t<T> x) { \
    return simt_atomic(                                                             \
        at, [x](T old) __attribute__((no_sanitize("thread")))->T {                  \
          return static_cast<T>(EXPRESSION);                                        \
        });                                                                         \
  }
SIMT_ATOMIC(Add, old + x)
SIMT_ATOMIC(Sub, old - x)
SIMT_ATOMIC(Exch, ((void)old, x))
SIMT_ATOMIC(Min, old < x ? old : x)
SIMT_ATOMIC(Max, old < x ? x : old)
SIMT_ATOMIC(And, old& x)
SIMT_ATOMIC(Or, old | x)
SIMT_ATOMIC(Xor, old ^ x)
SIMT_ATOMIC(Inc, old >= x ? 0 : old + 1)
SIMT_ATOMIC(Dec, old == 0 || old > x ? x : old - 1)
template <class T>
SIMT_INLINE T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> wanted) {
  return simt_atomic(
      at, [=](T old) __attribute__((no_sanitize("thread")))->T {
        return old == expected ? wanted : old;
      });
}

// ---- loads with a hint, bits, and mathematics

template <class T> SIMT_INLINE T __ldg(const T* at) { return *at; }
template <class T> SIMT_INLINE T __ldcs(const T* at) { return *at; }
template <class T> SIMT_INLINE T __ldcg(const T* at) { return *at; }
template <class T> SIMT_INLINE void __stcs(T* at, std::type_identity_t<T> x) { *at = x; }
template <class T> SIMT_INLINE void __stcg(T* at, std::type_identity_t<T> x) { *at = x; }
inline std::size_t __cvta_generic_to_shared(const void* p) { return simt::shared_address(p); }
inline std::size_t __cvta_generic_to_global(const void* p) {
  return reinterpret_cast<std::size_t>(p);
}

inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t both = std::uint64_t{y} << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned which = selector >> 4 * i;
    unsigned byte = both >> 8 * (which & 7) & 0xFF;
    if (which & 8) byte = byte & 0x80 ? 0xFF : 0;
    result |= byte << 8 * i;
  }
  return result;
}
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline int __float2int_rn(float x) { return static_cast<int>(std::nearbyint(x)); }
inline int __float2int_rd(float x) { return static_cast<int>(std::floor(x)); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }

using std::isfinite, std::isinf, std::isnan;  // as CUDA has them, outside of std
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __frsqrt_rn(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
inline float sinpif(float x) { return std::sin(3.14159265f * x); }
inline float cospif(float x) { return std::cos(3.14159265f * x); }

// In the type that C++ gives the sum; a NaN gives way to a number.
#define SIMT_CHOOSE(NAME, OF_FLOATS, FIRST)                                          \
  template <class A, class B> constexpr std::common_type_t<A, B> NAME(A x, B y) {    \
    static_assert(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>);               \
    const std::common_type_t<A, B> a = x, b = y;                                     \
    if constexpr (std::is_floating_point_v<decltype(a + b)>) return OF_FLOATS(a, b); \
    return FIRST ? a : b;                                                            \
  }
SIMT_CHOOSE(min, std::fmin, a <= b)
SIMT_CHOOSE(max, std::fmax, a >= b)
