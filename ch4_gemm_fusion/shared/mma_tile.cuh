// What moves the tiles of a product by mma.sync: copies of A and B to shared memory, and the store
// of C.
#pragma once

#include "mma.cuh"

namespace tensor {

// A thread's copies of a tile of height x width: pieces of 16 bytes, kStep rows apart. `unit`:
// so many numbers at once. It is 8 where rows of the matrix begin at multiples of 16 bytes, 2 where
// at multiples of 4, else 1: an ordinary load, which the thread waits for.
template <int threads, int height, int width, int unit, class T> struct Copies {
  static constexpr int kPieces = width / 8, kStep = threads / kPieces;
  static_assert(height % kStep == 0 && kStep > 0, "each thread has as many pieces");
  const T* from;     // the first of them in the matrix,
  int place;         // and in the tile
  int below, right;  // rows and columns that the matrix has from there on
  long long pitch;

  // The tile begins at (row, column) of a matrix of rows x columns.
  __device__ Copies(const T* x, int rows, int columns, int row, int column)
      : place(threadIdx.x / kPieces), pitch(columns) {
    const int r = row + place, c = column + threadIdx.x % kPieces * 8;
    from = x + r * pitch + c, below = rows - r, right = columns - c;
  }
  __device__ void go_right() { from += width, right -= width; }
  __device__ void go_down() { from += height * pitch, below -= height; }
  // Asks for part `part` of `parts` of them; zeros outside of the matrix.
  __device__ void ask(T* tile, int part, int parts) const {
    const int rows = right > 0 ? below : 0;
#pragma unroll
    for (int i = part * kStep; i < height; i += parts * kStep) {
      T* const to = piece<width>(tile, place + i, threadIdx.x % kPieces);
      const T* const x = from + i * pitch;
      if constexpr (unit == 8) copy(to, x, i < rows);
#pragma unroll
      for (int e = 0; e < 8; e += unit) {
        if constexpr (unit == 2) copy_pair(to + e, x + e, i < rows && e < right);
        if constexpr (unit == 1) to[e] = i < rows && e < right ? x[e] : T(0.0f);
      }
    }
  }
};

// Rounds 16 rows x 64 columns of a warp and stores what is inside of C.
template <class T>
__device__ void store(const float (&sum)[32], T* c, int m, int n, int row, int column) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // 32 columns; rows lane / 4, or those eight below
    const int r = row + lane / 4 + i % 2 * 8, first = column + i / 2 * 32 + lane % 4 * 8;
    unsigned word[4];
    for (int j = 0; j < 4; ++j) word[j] = pack<T>(sum + i / 2 * 16 + 4 * j + i % 2 * 2);
    transpose(word);
    T* const to = c + static_cast<long long>(r) * n + first;
    if (r >= m || first >= n) continue;
    if (n % 8 == 0)
      *reinterpret_cast<uint4*>(to) = {word[0], word[1], word[2], word[3]};
    else
#pragma unroll
      for (int e = 0; e < 8; ++e)
        if (first + e < n)
          reinterpret_cast<unsigned short*>(to)[e] = word[e / 2] >> e % 2 * 16 & 0xFFFF;
  }
}

}  // namespace tensor
