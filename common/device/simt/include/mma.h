// nvcuda::wmma for tiles of 16 x 16 x 16: fragments whose order is not told. Lane l has eight
// neighbours of a row: half l % 2 of row l / 2.
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

// Where element i of this lane lies in memory.
inline std::size_t simt_place(int i, unsigned stride, bool rows) {
  const unsigned row = simt::lane_index() / 2, column = simt::lane_index() % 2 * 8 + i;
  return rows ? row * stride + column : column * stride + row;
}

template <class Use, class T, class Layout>
SIMT_INLINE void load_matrix_sync(fragment<Use, 16, 16, 16, T, Layout>& f, const T* from,
                                  unsigned stride) {
  __syncwarp();
  for (int i = 0; i < 8; ++i)
    f.x[i] = from[simt_place(i, stride, std::is_same_v<Layout, row_major>)];
}
template <class T>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, 16, 16, 16, T>& f, const T* from,
                                  unsigned stride, layout_t layout) {
  __syncwarp();
  for (int i = 0; i < 8; ++i) f.x[i] = from[simt_place(i, stride, layout == mem_row_major)];
}
template <class T>
SIMT_INLINE void store_matrix_sync(T* to, const fragment<accumulator, 16, 16, 16, T>& f,
                                   unsigned stride, layout_t layout) {
  __syncwarp();
  for (int i = 0; i < 8; ++i) to[simt_place(i, stride, layout == mem_row_major)] = f.x[i];
  __syncwarp();
}

template <class T>
SIMT_PLAIN void simt_multiply(float* sum, const float* c, const simt::Value* a,
                              const simt::Value* b) {
  const int lane = simt::lane_index(), row = lane / 2, first = lane % 2 * 8;
  for (int i = 0; i < 8; ++i) {
    float total = c[i];
    for (int k = 0; k < 16; ++k) {
      T x, y;
      std::memcpy(&x, a[row * 2 + k / 8].bytes + k % 8 * sizeof(T), sizeof(T));
      std::memcpy(&y, b[k * 2 + (first + i) / 8].bytes + (first + i) % 8 * sizeof(T), sizeof(T));
      total += static_cast<float>(x) * static_cast<float>(y);
    }
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
  simt_multiply<T>(sum.x, c.x, all_a, all_b);
}

}  // namespace nvcuda::wmma
