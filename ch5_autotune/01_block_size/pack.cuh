// One, two or four neighbouring floats, loaded and stored at once. NVRTC compiles this, so it
// includes no header of the host.
#pragma once

using i64 = long long;

// The array, with the hint that the kernel reads no element twice. So L2 evicts them first, and has
// room for the results. (`__ldcs` would give the hint to L1 as well, but there a row finds bytes
// that its neighbours loaded.)
__device__ inline const float* read_once(const float* array) {
#if __CUDA_ARCH__ >= 800
  unsigned long long first;
  asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(first));
  return static_cast<const float*>(__nv_associate_access_property(array, first));
#else
  return array;
#endif
}

template <int kWidth> struct alignas(4 * kWidth) Pack { float at[kWidth]; };

template <int kWidth> __device__ Pack<kWidth> load(const float* x, bool there = true) {
  return there ? *reinterpret_cast<const Pack<kWidth>*>(x) : Pack<kWidth>{};
}
// One instruction, written out: for a sum that a loop leaves the compiler makes four stores.
template <int kWidth> __device__ void store(float* y, const Pack<kWidth>& p) {
  if constexpr (kWidth == 1) *y = p.at[0];
  if constexpr (kWidth == 2) __stcs(reinterpret_cast<float2*>(y), float2{p.at[0], p.at[1]});
  if constexpr (kWidth == 4)
    __stcs(reinterpret_cast<float4*>(y), float4{p.at[0], p.at[1], p.at[2], p.at[3]});
}
template <int kWidth> __device__ Pack<kWidth> operator+(Pack<kWidth> a, const Pack<kWidth>& b) {
  for (int i = 0; i < kWidth; ++i) a.at[i] += b.at[i];
  return a;
}
