// Turns a tile of a matrix on a core: 8 x 8 elements at a time, in registers.
#pragma once

#include "numbers.h"

namespace {

constexpr wb::i64 kBlock = 8;

// A tile is as high as a cache line of y is long, so each line is used up at once, and sixteen
// lines wide. Tiles follow each other downwards: the next one needs the elements of y right after
// those of this one.
template <class T> constexpr wb::i64 kTileRows = 64 / sizeof(T);
template <class T> constexpr wb::i64 kTileColumns = 1024 / sizeof(T);
template <class T> using Tile = T[kTileRows<T>][kTileColumns<T>];

// Prefetches the cache line of an address and does not wait for it. The address need not exist: the
// last tile prefetches lines past the arrays.
inline void ask_for(const void* address) { __builtin_prefetch(address, /*write=*/0, /*L2*/ 2); }

// 8 x 8 elements. Three times, row i and row i + 4 are interleaved: then columns are rows.
template <class T> void turn_block(const T* from, wb::i64 from_row, T* to, wb::i64 to_row) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>;
  using Row [[gnu::vector_size(kBlock * sizeof(T))]] = Bits;
  Row row[kBlock], next[kBlock];
#pragma GCC unroll 8
  for (int i = 0; i < kBlock; ++i) std::memcpy(&row[i], from + i * from_row, sizeof(Row));
#pragma GCC unroll 3
  for (int round = 0; round < 3; ++round) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const Row a = row[i], b = row[i + 4];
      next[2 * i] = Row{a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]};
      next[2 * i + 1] = Row{a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]};
    }
#pragma GCC unroll 8
    for (int i = 0; i < kBlock; ++i) row[i] = next[i];
  }
#pragma GCC unroll 8
  for (int i = 0; i < kBlock; ++i) std::memcpy(to + i * to_row, &row[i], sizeof(Row));
}

// tile[row][column] = from[column * stride + row]
template <class T>
void turn(const T* from, wb::i64 stride, wb::i64 rows, wb::i64 columns, Tile<T>& tile) {
  for (wb::i64 column = 0; column < columns; column += kBlock) {
    for (wb::i64 j = column; j < column + kBlock; ++j) ask_for(from + j * stride + kTileRows<T>);
    for (wb::i64 row = 0; row < rows; row += kBlock) {
      const T* block = from + column * stride + row;
      if (row + kBlock <= rows && column + kBlock <= columns) {
        turn_block(block, stride, &tile[row][column], kTileColumns<T>);
        continue;
      }
      for (wb::i64 j = 0; j < std::min(kBlock, columns - column); ++j)
        for (wb::i64 i = 0; i < std::min(kBlock, rows - row); ++i)
          tile[row + i][column + j] = block[j * stride + i];
    }
  }
}

}  // namespace
