// C = epilogue(A B^T) on a CPU, with no library. Three things make a product fast there:
// - A *micro-kernel* keeps a tile of C in registers, kRows x kColumns sums, while it walks along k.
//   A step loads kColumns numbers of B and broadcasts kRows of A: with AVX-512 24 multiply-adds of
//   a whole vector for 14 loads.
// - Both matrices are *packed* first, in the order in which the micro-kernel reads them, so that it
//   reads line after line: all of B once, and blocks of A as large as a part of the second-level
//   cache.
// - The epilogue changes a tile's sums when they are whole, before the only store. (That is why k
//   is not cut into blocks, as it would be for a product of any k.)
// 16-bit numbers become fp32 when they are packed, and 16-bit again when they are stored.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include "wb/half.h"

namespace fused {

#if defined(__AVX512F__)
constexpr int kLanes = 16, kRows = 12;  // 24 of 32 registers hold sums
#elif defined(__AVX__)
constexpr int kLanes = 8, kRows = 6;  // 12 of 16
#else
constexpr int kLanes = 4, kRows = 6;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;
constexpr int kColumns = 2 * kLanes;
constexpr wb::i64 kBlockBytes = 384 << 10;  // of packed A

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline wb::i64 padded(wb::i64 columns) { return (columns + kColumns - 1) / kColumns * kColumns; }

// `count` rows of a matrix (at most `width`, the rest as zeros) become k groups of `width`. Its
// numbers are `row` apart from row to row, and `column` from column to column.
template <int width, class T>
void pack(const T* from, wb::i64 count, wb::i64 k, wb::i64 row, wb::i64 column, float* to) {
  constexpr wb::i64 kStep = 16;  // a cache line of each row at a time
  for (wb::i64 first = 0; first < k; first += kStep)
    for (int r = 0; r < width; ++r)
      for (wb::i64 l = first; l < std::min(first + kStep, k); ++l)
        to[l * width + r] = r < count ? float{from[r * row + l * column]} : 0;
}

// The micro-kernel: sums of a tile.
inline void add_up(wb::i64 k, const float* a, const float* b, Vector (&sum)[kRows][2]) {
  for (wb::i64 l = 0; l < k; ++l, a += kRows, b += kColumns) {
    const Vector left = load(b), right = load(b + kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] += a[r] * left;
      sum[r][1] += a[r] * right;
    }
  }
}

template <class Epilogue>
void tile(wb::i64 k, const float* a, const float* b, wb::i64 row, wb::i64 column,
          const Epilogue& epilogue, float* out) {
  Vector sum[kRows][2] = {};
  add_up(k, a, b, sum);
  if constexpr (!std::is_invocable_v<Epilogue, Vector, wb::i64>) epilogue(sum, row, column);
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r)
    for (int half = 0; half < 2; ++half) {
      Vector v = sum[r][half];
      if constexpr (std::is_invocable_v<Epilogue, Vector, wb::i64>)
        v = epilogue(v, column + half * kLanes);
      std::memcpy(out + r * kColumns + half * kLanes, &v, sizeof v);
    }
}

template <bool b_columns, class T, class Epilogue>
void multiply(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c, float* packed,
              const Epilogue& epilogue) {
  const wb::i64 panels = padded(n) / kColumns, strips = (m + kRows - 1) / kRows;
#pragma omp parallel
  {
#pragma omp for
    for (wb::i64 j = 0; j < panels; ++j)
      pack<kColumns>(b + j * kColumns * (b_columns ? 1 : k), n - j * kColumns, k, b_columns ? 1 : k,
                     b_columns ? n : 1, packed + j * kColumns * k);

    // As many strips of kRows rows as fit, and the same for each thread.
    const wb::i64 most = std::max<wb::i64>(1, kBlockBytes / (4 * kRows * std::max<wb::i64>(k, 1)));
    const wb::i64 threads = omp_get_num_threads();
    const wb::i64 rounds = (strips + most * threads - 1) / (most * threads);
    const wb::i64 height = (strips + rounds * threads - 1) / (rounds * threads);
    const std::unique_ptr<float[]> block(new float[height * kRows * k]);
#pragma omp for schedule(dynamic)
    for (wb::i64 first = 0; first < strips; first += height) {
      const wb::i64 end = std::min(first + height, strips);
      for (wb::i64 i = first; i < end; ++i)
        pack<kRows>(a + i * kRows * k, m - i * kRows, k, k, 1, &block[(i - first) * kRows * k]);
      for (wb::i64 j = 0; j < panels; ++j)
        for (wb::i64 i = first; i < end; ++i) {
          alignas(64) float out[kRows * kColumns];
          tile(k, &block[(i - first) * kRows * k], packed + j * kColumns * k, i * kRows,
               j * kColumns, epilogue, out);
          const wb::i64 rows = std::min<wb::i64>(kRows, m - i * kRows);
          const wb::i64 columns = std::min<wb::i64>(kColumns, n - j * kColumns);
          for (wb::i64 r = 0; r < rows; ++r) {
            T* to = c + (i * kRows + r) * n + j * kColumns;
            for (wb::i64 x = 0; x < columns; ++x) to[x] = static_cast<T>(out[r * kColumns + x]);
          }
        }
    }
  }
}

// Set-up: what it returns runs. epilogue(sums, column) is of kLanes columns from `column` on, some
// of which may be beyond n, up to padded(n). Or it takes a whole tile and changes it in place:
// epilogue(sums, row, column) with Vector (&sums)[kRows][2]; rows beyond m are zeros. b_columns: B
// is stored the other way round, k x n.
template <bool b_columns = false, class T, class Epilogue>
std::function<void()> gemm(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c,
                           Epilogue epilogue) {
  if (m * n == 0) return [] {};
  const std::shared_ptr<float[]> packed(new float[padded(n) * k]);
  return [=] { multiply<b_columns>(m, n, k, a, b, c, packed.get(), epilogue); };
}

}  // namespace fused
