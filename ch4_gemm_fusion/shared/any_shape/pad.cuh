// Copies of A and B whose rows are whole 128 bytes, zeros after k: then TMA can read them.
#pragma once

#include "unaligned.cuh"

namespace any_shape {

constexpr int kPadThreads = 256;

// A thread makes 16 bytes. `a` and `b` begin at multiples of 16 bytes.
template <class T>
__global__ void __launch_bounds__(kPadThreads)
    pad(int m, int n, int k, int padded, const T* a, const T* b, T* to_a, T* to_b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");  // what waits for this may take its place
#endif
  const unsigned pieces = padded / 8;
  const unsigned long long index =
      static_cast<unsigned long long>(blockIdx.x) * kPadThreads + threadIdx.x;
  const unsigned r = index / pieces, column = index % pieces * 8;
  if (r >= unsigned(m) + n) return;
  const bool first = r < unsigned(m);
  const long long row = first ? r : r - m;
  const T* const from = (first ? a : b) + row * k + column;
  T* const to = (first ? to_a : to_b) + row * padded + column;
  uint4 piece;
  if (column + 16 <= unsigned(k)) {
    const int shift = reinterpret_cast<std::uintptr_t>(from) % 16;
    const auto* at = reinterpret_cast<const uint4*>(from - shift / 2);
    piece = shifted(at[0], at[1], shift);
  } else {
    T x[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) x[j] = column + j < unsigned(k) ? from[j] : wb::from_float<T>(0);
    memcpy(&piece, x, sizeof piece);
  }
  *reinterpret_cast<uint4*>(to) = piece;
}

}  // namespace any_shape
