// A tile of C = A B^T where rows are not whole 16 bytes, which TMA can't read. Threads load 16
// aligned bytes and the next 16, shift them into one piece, and store it where TMA would have put
// it. While wgmma multiplies a step, the loads of the next one are on their way into registers.
#pragma once

#include "finish.cuh"

namespace any_shape {

// 16 of 32 bytes, from byte `shift` on: 0, 2, ... 14.
__device__ inline uint4 shifted(const uint4& low, const uint4& high, int shift) {
  unsigned x[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) x[i] = shift & 8 ? x[i + 2] : x[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) x[i] = shift & 4 ? x[i + 1] : x[i];
  const unsigned halves = shift & 2 ? 0x5432 : 0x3210;
  return {__byte_perm(x[0], x[1], halves), __byte_perm(x[1], x[2], halves),
          __byte_perm(x[2], x[3], halves), __byte_perm(x[3], x[4], halves)};
}

// One operand's share of a thread: piece p of 16 bytes in `kCount` rows of a step, which are
// kStep apart. kStep is a multiple of 8, so all of them have the same shift.
template <class T, int kCount, int kStep> struct Rows {
  const T* data;     // the piece in the first row, at k = 0
  long long stride;  // elements between these rows
  int count;         // of rows that the matrix has
  int shift;         // bytes
  uint4 low[kCount], high[kCount];

  __device__ Rows(const T* matrix, int rows, int k, int first) {
    const int r = first + threadIdx.x / 8;
    data = matrix + static_cast<long long>(r) * k + threadIdx.x % 8 * 8;
    stride = static_cast<long long>(k) * kStep;
    count = (rows - r + kStep - 1) / kStep;
    shift = reinterpret_cast<std::uintptr_t>(data) % 16;
  }
  // Of a step that, and 16 bytes more, is inside k.
  __device__ void load(int column) {
    const T* const from = data + column - shift / 2;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < count) {
        const auto* at = reinterpret_cast<const uint4*>(from + i * stride);
        low[i] = __ldg(at), high[i] = __ldg(at + 1);
      }
  }
  __device__ static uint4* place(T* tile, int i) {
    const int r = threadIdx.x / 8 + i * kStep, p = threadIdx.x % 8;
    return reinterpret_cast<uint4*>(tile + r * kDepth + (p ^ r % 8) * 8);
  }
  __device__ void store(T* tile) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      if (i < count) *place(tile, i) = shifted(low[i], high[i], shift);
  }
  // At the end of k, number by number; zeros behind it.
  __device__ void copy(T* tile, int column, int k) const {
    const int left = k - column - threadIdx.x % 8 * 8;
    for (int i = 0; i < kCount && i < count; ++i) {
      T x[8];
#pragma unroll
      for (int j = 0; j < 8; ++j)
        x[j] = j < left ? data[i * stride + column + j] : wb::from_float<T>(0);
      uint4 piece;
      memcpy(&piece, x, sizeof piece);
      *place(tile, i) = piece;
    }
  }
};

template <int kRows, int kColumns> struct Unaligned {
  static constexpr int kThreads = kRows * kColumns / 32;  // a warpgroup has 64 x 64 sums
  static constexpr int kBlocks = blocks_of(Way::unaligned, kRows* kColumns);
  static constexpr int kStages = 3;
  static constexpr int kStage = 2 * kDepth * (kRows + kColumns);
  static constexpr int kBytes = kStages * kStage;
  static_assert(finish_bytes(kRows, kColumns) <= kBytes);
};

template <int kRows, int kColumns, class T, class Epilogue>
__global__ void __launch_bounds__(Unaligned<kRows, kColumns>::kThreads,
                                  Unaligned<kRows, kColumns>::kBlocks)
    unaligned(int m, int n, int k, const T* a, const T* b, T* c, int slices,
              const Epilogue epilogue) {
#ifdef HOPPER_CODE
  using Size = Unaligned<kRows, kColumns>;
  constexpr int kStep = Size::kThreads / 8;
  extern __shared__ __align__(1024) unsigned char memory[];
  T* const stages = reinterpret_cast<T*>(memory);
  const int warpgroup = threadIdx.x / 128;
  const int down = warpgroup % (kRows / 64) * 64, across = warpgroup / (kRows / 64) * 64;
  const auto [row, column] = place<kRows, kColumns>(blockIdx.x / slices, m, n);
  const auto [begin, end] = steps_of(k, blockIdx.x % slices, slices);

  Rows<T, kRows / kStep, kStep> left(a, m, k, row);
  Rows<T, kColumns / kStep, kStep> right(b, n, k, column);
  const auto inside = [&](int i) { return (i + 1) * kDepth + 8 <= k; };
  const auto load = [&](int i) {
    if (i < end && inside(i)) left.load(i * kDepth), right.load(i * kDepth);
  };
  float sum[32] = {};
  load(begin);
  for (int i = begin, stage = 0; i < end; ++i, stage = (stage + 1) % Size::kStages) {
    T* const x = stages + stage * Size::kStage / 2;
    T* const y = x + kRows * kDepth;
    if (inside(i)) {
      left.store(x), right.store(y);
    } else {
      left.copy(x, i * kDepth, k), right.copy(y, i * kDepth, k);
    }
    load(i + 1);
    hopper::fence_stores();
    __syncthreads();  // the step is there; and all are done with the one before the last
    hopper::begin();
#pragma unroll
    for (int j = 0; j < kDepth / 16; ++j)
      hopper::multiply<T>(sum, hopper::describe(x + down * kDepth) + 2 * j,
                          hopper::describe(y + across * kDepth) + 2 * j, true);
    hopper::commit();
    hopper::wait<1>();
  }
  hopper::wait<0>(sum);
  __syncthreads();  // all stages have been read: their place is free for the sums
  float* const tile = reinterpret_cast<float*>(memory);
  put<kColumns>(tile, sum, down, across);
  finish<kRows, kColumns>(tile, m, n, row, column, c, slices, epilogue);
#endif
}

}  // namespace any_shape
