// Shared by products of fp32 on a CPU (01_sgemm, 11_register_pressure): slices of A and B, copied
// in the order in which the inner loop reads them, and that loop, the *micro-kernel*, for any tile
// that it keeps in registers. choose_kernel() has one per instruction set, and asks the processor
// which one can run.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "wb/axes.h"

namespace {

constexpr wb::i64 kDepth = 384;  // of a slice: a panel of B is 48 KiB, and one of A 21 KiB
constexpr wb::i64 kPitch =
    kDepth + 16;  // of a row of A: one cache line more, so rows do not collide

// kRows x (kVectors * kLanes) values of C: sums of a slice's products stay in registers. a: kRows
// rows that are kPitch apart; b: depth steps of kVectors vectors; to: rows that are `pitch` apart.
template <int kLanes, int kRows, int kVectors>
[[gnu::always_inline]] inline void block(wb::i64 depth, const float* a, const float* b, float* to,
                                         wb::i64 pitch, bool add) {
  using Vector [[gnu::vector_size(4 * kLanes)]] = float;
  Vector sum[kRows][kVectors] = {};
  for (wb::i64 l = 0; l < depth; ++l) {
    Vector right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      std::memcpy(&right[v], b + (l * kVectors + v) * kLanes, sizeof right[v]);
#pragma GCC unroll 32
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[r][v] += a[r * kPitch + l] * right[v];
  }
#pragma GCC unroll 32
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      float* place = to + r * pitch + v * kLanes;
      Vector old = {};
      if (add) std::memcpy(&old, place, sizeof old);
      sum[r][v] += old;
      std::memcpy(place, &sum[r][v], sizeof old);
    }
}

constexpr int kMostRows = 32, kMostColumns = 32;
using Block = void(wb::i64 depth, const float* a, const float* b, float* to, wb::i64 pitch,
                   bool add);
struct Kernel {
  Block* block;
  int rows, columns;
};

// 32 registers of 16 floats hold 14 x 2 sums, two vectors of B and a value of A; 16 registers of 8
// floats hold 6 x 2.
#ifdef __x86_64__
[[gnu::target("avx512f")]] void block_avx512(wb::i64 depth, const float* a, const float* b,
                                             float* to, wb::i64 pitch, bool add) {
  block<16, 14, 2>(depth, a, b, to, pitch, add);
}
[[gnu::target("avx2,fma")]] void block_avx2(wb::i64 depth, const float* a, const float* b,
                                            float* to, wb::i64 pitch, bool add) {
  block<8, 6, 2>(depth, a, b, to, pitch, add);
}
#endif
void block_any(wb::i64 depth, const float* a, const float* b, float* to, wb::i64 pitch, bool add) {
  block<4, 4, 2>(depth, a, b, to, pitch, add);
}
inline Kernel choose_kernel() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return {block_avx512, 14, 32};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {block_avx2, 6, 16};
#endif
  return {block_any, 4, 8};
}

using Buffer = std::unique_ptr<float[], void (*)(float*)>;
Buffer make_buffer(wb::i64 count) {  // begins at a cache line
  return {static_cast<float*>(operator new[](count * sizeof(float), std::align_val_t(64))),
          [](float* p) { operator delete[](p, std::align_val_t(64)); }};
}

// A slice of some rows of A: row after row.
inline void pack_a(const float* a, wb::i64 k, wb::i64 rows, wb::i64 depth, float* to) {
  for (wb::i64 r = 0; r < rows; ++r) std::memcpy(to + r * kPitch, a + r * k, depth * sizeof(float));
}

// A slice of one panel of B, as many columns as the kernel makes; zeros where B has no more.
inline void pack_b(const float* b, wb::i64 n, wb::i64 columns, int width, wb::i64 depth,
                   float* to) {
  for (wb::i64 l = 0; l < depth; ++l) {
    std::memcpy(to + l * width, b + l * n, columns * sizeof(float));
    std::fill(to + l * width + columns, to + (l + 1) * width, 0.0f);
  }
}

// Packed rows times all panels. A block at the edge of C goes through one that is whole.
inline void multiply(const Kernel& kernel, wb::i64 rows, wb::i64 n, wb::i64 depth, const float* a,
                     const float* b, float* c, bool add) {
  alignas(64) float rim[kMostRows * kMostColumns];
  for (wb::i64 j = 0; j < n; j += kernel.columns)
    for (wb::i64 i = 0; i < rows; i += kernel.rows) {
      float* to = c + i * n + j;
      const wb::i64 high = std::min<wb::i64>(kernel.rows, rows - i);
      const wb::i64 wide = std::min<wb::i64>(kernel.columns, n - j);
      if (high == kernel.rows && wide == kernel.columns) {
        kernel.block(depth, a + i * kPitch, b + j * depth, to, n, add);
        continue;
      }
      kernel.block(depth, a + i * kPitch, b + j * depth, rim, kernel.columns, false);
      for (wb::i64 r = 0; r < high; ++r)
        for (wb::i64 q = 0; q < wide; ++q)
          to[r * n + q] = (add ? to[r * n + q] : 0) + rim[r * kernel.columns + q];
    }
}

}  // namespace
