// z = x + y for a collapsed view, 16 bytes at a time where rows allow it.
#pragma once

#include <algorithm>

#include "broadcast_strided.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kThreads = 128;

// kWidth elements that are loaded and stored with one instruction.
template <class T, int kWidth> struct alignas(sizeof(T) * kWidth) Vector { T value[kWidth]; };

// Where the elements of y are that belong to a vector of x: in a row and aligned, or one for all,
// or anywhere.
enum class Lies { vector, same, anywhere };

// Those of a row's vector number `column`.
template <class T, int kWidth, Lies kLies>
__device__ Vector<T, kWidth> load(const T* row, wb::i64 column, wb::i64 stride) {
  if constexpr (kLies == Lies::vector) {
    return reinterpret_cast<const Vector<T, kWidth>*>(row)[column];
  } else {
    Vector<T, kWidth> v;
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      v.value[i] = kLies == Lies::same ? *row : row[(column * kWidth + i) * stride];
    return v;
  }
}
template <class T> __device__ T sum(T x, T y) {
  return wb::from_float<T>(wb::to_float(x) + wb::to_float(y));
}

// A grid of `across` blocks next to each other and `down` blocks below each other, for each matrix.
// The grid counts all three, so no thread divides. But it has at most 65,535 blocks along y and z:
// if there are more, all are along x.
inline dim3 grid_of(wb::i64 across, wb::i64 down, wb::i64 matrices) {
  constexpr wb::i64 kMost = 65535;
  if (across * down * matrices > INT32_MAX) throw wb::Unsupported("more than 2^31 blocks");
  return down <= kMost && matrices <= kMost ? dim3(across, down, matrices)
                                            : dim3(across * down * matrices);
}
struct Block {
  unsigned across, down, matrix;
};
__device__ inline Block own_block(unsigned across, unsigned down) {
  if (gridDim.x == across) return {blockIdx.x, blockIdx.y, blockIdx.z};
  const unsigned line = blockIdx.x / across;
  return {blockIdx.x % across, line % down, line / down};
}

// `across` and `down`: blocks of a matrix. A thread's vectors are `row_step` rows or `column_step`
// vectors apart (the latter when there is but one row).
struct Tiling {
  unsigned across, down;
  int row_step, column_step;
};

// `width`: whole vectors per row. A line may end in less than a vector, which the first threads
// add. Six blocks per multiprocessor: otherwise the compiler spills registers to get eight.
//
// No load is inside a condition. If it were, the compiler would take a 16-bit element out of its
// word right after the load, and that waits for the load before the next one is issued.
template <class T, int kWidth, int kLoads, Lies kLies>
__global__ void __launch_bounds__(kThreads, 6)
    add_rows(Layout l, wb::i64 width, Tiling tiling, const T* x, const T* y, T* z) {
  using V = Vector<T, kWidth>;
  const Block block = own_block(tiling.across, tiling.down);
  const unsigned along = blockDim.x * (tiling.column_step ? kLoads : 1);
  const unsigned high = blockDim.y * (tiling.row_step ? kLoads : 1);
  const wb::i64 column = wb::i64{block.across} * along + threadIdx.x;
  const wb::i64 row = wb::i64{block.down} * high + threadIdx.y;
  const wb::i64 rows = l.size[1], above = block.matrix * rows;  // of the matrix; above it
  const T* view = y + block.matrix * l.stride[0];

  if (column < width && row < rows) {
    V u[kLoads], v[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {  // past the last row or vector: the last once more
      const wb::i64 r = k == 0 ? row : min(row + k * tiling.row_step, rows - 1);
      const wb::i64 c = k == 0 ? column : min(column + k * tiling.column_step, width - 1);
      u[k] = reinterpret_cast<const V*>(x)[(above + r) * width + c];
      v[k] = load<T, kWidth, kLies>(view + r * l.stride[1], c, l.stride[2]);
    }
#pragma unroll
    for (int k = 0; k < kLoads; ++k) {
      const wb::i64 r = row + k * tiling.row_step, c = column + k * tiling.column_step;
#pragma unroll
      for (int i = 0; i < kWidth; ++i) u[k].value[i] = sum(u[k].value[i], v[k].value[i]);
      if (k == 0 || (r < rows && c < width))
        reinterpret_cast<V*>(z)[(above + r) * width + c] = u[k];
    }
  }
  const wb::i64 i = width * kWidth + threadIdx.x;
  if (blockIdx.x == 0 && threadIdx.y == 0 && i < l.size[2]) z[i] = sum(x[i], y[i * l.stride[2]]);
}

template <class T, int kWidth, int kLoads, Lies kLies>
void launch_rows(const Layout& l, const T* x, const T* y, T* z, cudaStream_t stream) {
  const wb::i64 width = l.size[2] / kWidth;
  const bool line = l.size[0] * l.size[1] == 1;
  const auto blocks = [](wb::i64 total, wb::i64 each) {
    return std::max<wb::i64>((total + each - 1) / each, 1);
  };
  const wb::i64 warps = blocks(width, 32);
  const dim3 block = line ? dim3(kThreads) : dim3(std::min<wb::i64>(32 * warps, kThreads));
  const int high = line ? 1 : kThreads / block.x;
  const wb::i64 across = blocks(width, block.x * (line ? kLoads : 1));
  const wb::i64 down = blocks(l.size[1], high * (line ? 1 : kLoads));
  const Tiling tiling{static_cast<unsigned>(across), static_cast<unsigned>(down), line ? 0 : high,
                      line ? kThreads : 0};
  add_rows<T, kWidth, kLoads, kLies>
      <<<grid_of(across, down, l.size[0]), dim3(block.x, high), 0, stream>>>(l, width, tiling, x, y,
                                                                             z);
  WB_CHECK(cudaGetLastError());
}

template <class T, int kWidth, Lies kLies>
void launch_rows(const Layout& l, const T* x, const T* y, T* z, cudaStream_t stream) {
  if (l.elements() / kWidth > 1 << 18)
    launch_rows<T, kWidth, 4, kLies>(l, x, y, z, stream);
  else  // few elements: spread them over all multiprocessors
    launch_rows<T, kWidth, 1, kLies>(l, x, y, z, stream);
}

template <class T>
void add_view(const Layout& l, const T* x, const T* y, T* z, cudaStream_t stream) {
  constexpr int kWidth = 16 / sizeof(T);
  const bool line = l.size[0] * l.size[1] == 1;
  const auto aligned = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  if (!aligned(x) || !aligned(z) || (!line && l.size[2] % kWidth != 0))
    launch_rows<T, 1, Lies::anywhere>(l, x, y, z, stream);
  else if (l.stride[2] == 0)
    launch_rows<T, kWidth, Lies::same>(l, x, y, z, stream);
  else if (l.stride[2] == 1 && aligned(y) && l.stride[0] % kWidth == 0 && l.stride[1] % kWidth == 0)
    launch_rows<T, kWidth, Lies::vector>(l, x, y, z, stream);
  else
    launch_rows<T, kWidth, Lies::anywhere>(l, x, y, z, stream);
}

}  // namespace
