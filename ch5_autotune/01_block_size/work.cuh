// What all kernels of this lesson get, and how they load and store. A choice is a type of numbers,
// which a kernel takes as a template parameter: NVRTC and nvcc compile the same text, so no header
// of the host is included.
#pragma once

using i64 = long long;

// The arrays begin at multiples of 16 bytes.
struct Work {
  i64 rows, columns;  // of a and b; add has one row
  const float* a;
  const float* b;
  float* y;
  int staged = 0;  // row sums: the launch has shared memory for a block's rows
};

template <int kWidth> struct alignas(4 * kWidth) Pack { float at[kWidth]; };

template <int kWidth> __device__ Pack<kWidth> load(const float* x) {
  return *reinterpret_cast<const Pack<kWidth>*>(x);
}
// One instruction, said so: of a sum that a loop leaves, the compiler makes four stores.
__device__ inline void store(float* y, const Pack<1>& p) { *y = p.at[0]; }
__device__ inline void store(float* y, const Pack<2>& p) {
  __stcs(reinterpret_cast<float2*>(y), float2{p.at[0], p.at[1]});
}
__device__ inline void store(float* y, const Pack<4>& p) {
  __stcs(reinterpret_cast<float4*>(y), float4{p.at[0], p.at[1], p.at[2], p.at[3]});
}
template <int kWidth> __device__ Pack<kWidth> operator+(Pack<kWidth> a, const Pack<kWidth>& b) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) a.at[i] += b.at[i];
  return a;
}
