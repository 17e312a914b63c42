// The transposed view of 16-bit elements: a lane moves words of two neighbours, so that a request
// of a warp is 128 bytes as in fp32, and a tile's row is 256 bytes as in fp32.
#pragma once

#include <cstdint>
#include <type_traits>

#include "views.cuh"
#include "wb/coalescing.h"

namespace {

constexpr int kSide = 128;         // of the tile, in elements
constexpr int kWords = kSide / 2;  // per row
constexpr int kWordRows = 8;       // that the block's threads span; they are 32 words wide

// Where the tile keeps a word of y. Two rows of y share an order of the banks, so that neither
// writing a row has conflicts nor reading a column of words from every second row.
constexpr int in_word_tile(int row, int word) { return row * kWords + (word ^ row / 2); }
static_assert(wb::bank_conflicts([](int lane) { return in_word_tile(5, 32 + lane); }) == 1);
static_assert(wb::bank_conflicts([](int lane) { return in_word_tile(2 * lane, 5); }) == 1);
static_assert(wb::bank_conflicts([](int lane) { return in_word_tile(2 * lane + 65, 5); }) == 1);

// The sums of the two elements of a word. The first is the lower half.
template <class T> __device__ std::uint32_t sum_word(std::uint32_t x, std::uint32_t y) {
  struct alignas(4) Two {
    T first, second;
  } a, b;
  memcpy(&a, &x, sizeof a), memcpy(&b, &y, sizeof b);
  a = {sum(a.first, b.first), sum(a.second, b.second)};
  memcpy(&x, &a, sizeof x);
  return x;
}

// x, y and z are arrays of words here, and rows, columns and strides are even numbers of elements.
// A complete tile needs no conditions. The launch bounds ask for two blocks per multiprocessor;
// otherwise the compiler would take so many registers that only one fits.
template <class T>
__global__ void __launch_bounds__(32 * kWordRows, 2)
    add_turned_words(Layout l, unsigned across, unsigned down, const std::uint32_t* x,
                     const std::uint32_t* y, std::uint32_t* z) {
  __shared__ std::uint32_t tile[kSide * kWords];
  constexpr int kSteps = kSide / kWordRows;
  const Block block = own_block(across, down);
  const wb::i64 rows = l.size[1], columns = l.size[2];
  const wb::i64 row0 = wb::i64{block.down} * kSide, column0 = wb::i64{block.across} * kSide;
  const int lane = threadIdx.x, high = threadIdx.y;
  // To the thread's first word: of y in line `high` of its tile; of x and z in row 2 * high,
  // because it takes pairs of rows.
  y += (block.matrix * l.stride[0] + (column0 + high) * l.stride[2] + row0) / 2 + lane;
  const wb::i64 at = ((block.matrix * rows + row0 + 2 * high) * columns + column0) / 2 + lane;
  x += at, z += at;
  const wb::i64 y_step = kWordRows * l.stride[2] / 2, row_words = columns / 2;
  const auto row = [](int step) { return step / 2 * 2 * kWordRows + step % 2; };

  const auto add = [&](auto is_whole) {
    constexpr bool kWhole = decltype(is_whole)::value;
    const auto in_rows = [&](int i) { return kWhole || row0 + i < rows; };
    const auto in_columns = [&](int i) { return kWhole || column0 + i < columns; };
    std::uint32_t u[kSteps][2], v[kSteps][2];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int word = lane + 32 * half;
        if (in_rows(2 * word) && in_columns(high + step * kWordRows))
          v[step][half] = y[step * y_step + 32 * half];
        if (in_rows(2 * high + row(step)) && in_columns(2 * word))
          u[step][half] = x[row(step) * row_words + 32 * half];
      }
    }
#pragma unroll
    for (int step = 0; step < kSteps; ++step)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        tile[in_word_tile(high + step * kWordRows, lane + 32 * half)] = v[step][half];
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kSteps; step += 2) {  // transposes 2 x 2 elements in registers
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int word = lane + 32 * half, pair = high + step / 2 * kWordRows;
        const std::uint32_t left = tile[in_word_tile(2 * word, pair)];
        const std::uint32_t right = tile[in_word_tile(2 * word + 1, pair)];
        if (in_rows(2 * pair) && in_columns(2 * word)) {
          z[row(step) * row_words + 32 * half] =
              sum_word<T>(u[step][half], __byte_perm(left, right, 0x5410));
          z[row(step + 1) * row_words + 32 * half] =
              sum_word<T>(u[step + 1][half], __byte_perm(left, right, 0x7632));
        }
      }
    }
  };
  if (row0 + kSide <= rows && column0 + kSide <= columns)
    add(std::true_type());
  else
    add(std::false_type());
}

// Whether that kernel can do it.
template <class T> bool in_words(const Layout& l, const T* x, const T* y, const T* z) {
  const auto aligned = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % 4 == 0; };
  return aligned(x) && aligned(y) && aligned(z) && l.size[1] % 2 == 0 && l.size[2] % 2 == 0 &&
         l.stride[0] % 2 == 0 && l.stride[2] % 2 == 0;
}
inline const std::uint32_t* words(const void* x) { return static_cast<const std::uint32_t*>(x); }
inline std::uint32_t* words(void* z) { return static_cast<std::uint32_t*>(z); }

}  // namespace
