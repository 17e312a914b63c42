// What the compiler calls for each access (g++ -fsanitize=thread): the names are those of
// ThreadSanitizer's library, which is not linked.
#include <cstddef>
#include <cstdint>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/calls.h"

extern "C" {
#define SIMT_HOOK(NAME, BYTES, WRITE)                                          \
  void NAME(void* address) {                                                   \
    if (simt::watching) simt::access(address, BYTES, WRITE, false, SIMT_FROM); \
  }
#define SIMT_HOOKS(BYTES)                                                                 \
  SIMT_HOOK(__tsan_read##BYTES, BYTES, false)                                             \
  SIMT_HOOK(__tsan_write##BYTES, BYTES, true)                                             \
  SIMT_HOOK(__tsan_unaligned_read##BYTES, BYTES, false)                                   \
  SIMT_HOOK(__tsan_unaligned_write##BYTES, BYTES, true)                                   \
  void __tsan_volatile_read##BYTES(void* address) {                                       \
    simt::volatile_access(address, BYTES, false, SIMT_FROM);                              \
  }                                                                                       \
  void __tsan_volatile_write##BYTES(void* address) {                                      \
    simt::volatile_access(address, BYTES, true, SIMT_FROM);                               \
  }                                                                                       \
  void __tsan_unaligned_volatile_read##BYTES(void* a) { __tsan_volatile_read##BYTES(a); } \
  void __tsan_unaligned_volatile_write##BYTES(void* a) { __tsan_volatile_write##BYTES(a); }
SIMT_HOOKS(1)
SIMT_HOOKS(2)
SIMT_HOOKS(4)
SIMT_HOOKS(8)
SIMT_HOOKS(16)
// Of a type that is not aligned to its size, or is larger than 16 bytes. One of 16 bytes that is
// aligned to 8 comes as if it were aligned to 16: a multiple of 8 is then said to be wrong.
#define SIMT_RANGE(NAME, WRITE)                                                    \
  void NAME(void* address, std::size_t bytes) {                                    \
    simt::From from = SIMT_FROM;                                                   \
    if (bytes <= 16) from.alignment = 4;                                           \
    if (simt::watching && bytes) simt::access(address, bytes, WRITE, false, from); \
  }
SIMT_RANGE(__tsan_read_range, false)
SIMT_RANGE(__tsan_write_range, true)
// Atomic accesses of C++ itself, as in shared_ptr: the host's.
#define SIMT_HOST_ATOMICS(BITS, T)                                                           \
  T __tsan_atomic##BITS##_load(const volatile T* at, int) { return __atomic_load_n(at, 5); } \
  void __tsan_atomic##BITS##_store(volatile T* at, T x, int) { __atomic_store_n(at, x, 5); } \
  T __tsan_atomic##BITS##_exchange(volatile T* at, T x, int) {                               \
    return __atomic_exchange_n(at, x, 5);                                                    \
  }                                                                                          \
  T __tsan_atomic##BITS##_fetch_add(volatile T* at, T x, int) {                              \
    return __atomic_fetch_add(at, x, 5);                                                     \
  }                                                                                          \
  T __tsan_atomic##BITS##_fetch_sub(volatile T* at, T x, int) {                              \
    return __atomic_fetch_sub(at, x, 5);                                                     \
  }                                                                                          \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* at, T* old, T x, int, int) { \
    return __atomic_compare_exchange_n(at, old, x, false, 5, 5);                             \
  }                                                                                          \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* at, T* old, T x, int, int) {   \
    return __atomic_compare_exchange_n(at, old, x, false, 5, 5);                             \
  }
SIMT_HOST_ATOMICS(8, std::uint8_t)
SIMT_HOST_ATOMICS(32, std::uint32_t)
SIMT_HOST_ATOMICS(64, std::uint64_t)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
}
