// nvcuda::wmma for tiles of 16 x 16 x 16, with the accesses that a GPU makes. CUDA does not tell
// which lane has what. nvcc's machine code for 9.0 does (LD.E, STS.64; a 16-bit tile that lies the
// other way is read in the same way and transposed in registers, by MOVM): a lane reads pairs of
// neighbours, as mma.m16n8k16 wants its operands. With g = l / 4 and t = l % 4, lane l has numbers
// 2 t and 2 t + 1 of row g of each quarter (8 x 8) of the tile. A row is one of memory.
#pragma once

#include "cuda_bf16.h"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
  static_assert(m == 16 && n == 16 && k == 16, "the emulator knows 16 x 16 x 16 alone");
  static constexpr int num_elements = 8;
  T x[8];
};

template <class F, class T> void fill_fragment(F& f, T value) {
  for (auto& x : f.x) x = value;
}

// Quarter q of a tile: its lower half for odd q, its right half from q = 2 on. Where this lane's
// pair begins, with rows that are `stride` apart.
inline std::size_t simt_place(int q, unsigned stride) {
  const unsigned g = simt::lane_index() / 4, t = simt::lane_index() % 4;
  return (g + q % 2 * 8) * std::size_t{stride} + 2 * t + q / 2 * 8;
}
template <class T> struct alignas(2 * sizeof(T)) simt_pair { T x[2]; };

template <class Use, class T, class Layout>
SIMT_INLINE void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& f, const T* from,
                                  unsigned stride) {
  __syncwarp();
  for (int q = 0; q < 4; ++q) {
    const auto pair = *reinterpret_cast<const simt_pair<T>*>(from + simt_place(q, stride));
    f.x[2 * q] = pair.x[0], f.x[2 * q + 1] = pair.x[1];
  }
}
// Of sums a lane has the same ones in both layouts, so these are single where columns come first.
inline std::size_t simt_place_in_column(int i, unsigned stride) {
  const unsigned g = simt::lane_index() / 4, t = simt::lane_index() % 4;
  return (2 * t + i % 2 + i / 4 * 8) * std::size_t{stride} + g + i / 2 % 2 * 8;
}
template <class T>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, 16, 16, 16, T>& f, const T* from,
                                  unsigned stride, layout_t layout) {
  if (layout == mem_row_major) return load_matrix_sync<accumulator, T, void>(f, from, stride);
  __syncwarp();
  for (int i = 0; i < 8; ++i) f.x[i] = from[simt_place_in_column(i, stride)];
}
template <class T>
SIMT_INLINE void store_matrix_sync(T* to, const fragment<accumulator, 16, 16, 16, T>& f,
                                   unsigned stride, layout_t layout) {
  __syncwarp();
  if (layout == mem_row_major)
    for (int q = 0; q < 4; ++q) {
      const simt_pair<T> pair = {f.x[2 * q], f.x[2 * q + 1]};
      *reinterpret_cast<simt_pair<T>*>(to + simt_place(q, stride)) = pair;
    }
  else
    for (int i = 0; i < 8; ++i) to[simt_place_in_column(i, stride)] = f.x[i];
  __syncwarp();
}

// Of the lanes of a fragment, the number in this row and column of memory.
template <class T> SIMT_PLAIN float simt_number(const simt::Value* all, int row, int column) {
  T x;
  const int i = (row / 8 + column / 8 * 2) * 2 + column % 2;
  std::memcpy(&x, all[row % 8 * 4 + column % 8 / 2].bytes + i * sizeof(T), sizeof(T));
  return static_cast<float>(x);
}
template <class T, bool kRowsOfA, bool kRowsOfB>
SIMT_PLAIN void simt_multiply(float* sum, const float* c, const simt::Value* a,
                              const simt::Value* b) {
  const int g = simt::lane_index() / 4, t = simt::lane_index() % 4;
  float left[2][16], right[4][16];  // this lane's rows of A and columns of B
  for (int k = 0; k < 16; ++k) {
    for (int i = 0; i < 2; ++i)
      left[i][k] = kRowsOfA ? simt_number<T>(a, g + 8 * i, k) : simt_number<T>(a, k, g + 8 * i);
    for (int j = 0; j < 4; ++j) {
      const int column = 2 * t + j % 2 + j / 2 * 8;
      right[j][k] = kRowsOfB ? simt_number<T>(b, k, column) : simt_number<T>(b, column, k);
    }
  }
  for (int i = 0; i < 8; ++i) {
    float total = c[i];
    for (int k = 0; k < 16; ++k) total += left[i / 2 % 2][k] * right[i / 4 * 2 + i % 2][k];
    sum[i] = total;
  }
}
template <class T, class LayoutA, class LayoutB>
SIMT_INLINE void mma_sync(fragment<accumulator, 16, 16, 16, float>& sum,
                          const fragment<matrix_a, 16, 16, 16, T, LayoutA>& a,
                          const fragment<matrix_b, 16, 16, 16, T, LayoutB>& b,
                          const fragment<accumulator, 16, 16, 16, float>& c) {
  const simt::Value* all_a = simt::meet(0xFFFFFFFFu, a.x, sizeof a.x, "mma_sync");
  const simt::Value* all_b = simt::meet(0xFFFFFFFFu, b.x, sizeof b.x, "mma_sync");
  simt_multiply<T, std::is_same_v<LayoutA, row_major>, std::is_same_v<LayoutB, row_major>>(
      sum.x, c.x, all_a, all_b);
}

}  // namespace nvcuda::wmma
