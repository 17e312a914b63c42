// What many numbers become one by. An operation has an identity(), with which every accumulator
// begins because it changes no result, and combine(), which makes one of two. Kernels use it on
// numbers, loops on a CPU on vectors as well, lane by lane.
#pragma once

#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define WB_OPERATION __host__ __device__ static
#else
#define WB_OPERATION static
#endif

struct Plus {
  WB_OPERATION float identity() { return 0; }
  template <class V> WB_OPERATION V combine(V a, V b) { return a + b; }
};

template <class V> constexpr auto is_nan(V x) { return x != x; }

// A NaN stays, as in PyTorch. (fmaxf would drop it, and with a > b ? a : b it depends on the order
// whether it stays.) Recent GPUs have an instruction for that.
struct Maximum {
  WB_OPERATION float identity() { return -std::numeric_limits<float>::infinity(); }
  template <class V> WB_OPERATION V combine(V a, V b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<V, float>) {
      asm("max.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
      return a;
    }
#endif
    return ((b > a) | is_nan(b)) ? b : a;
  }
};
struct Minimum {
  WB_OPERATION float identity() { return std::numeric_limits<float>::infinity(); }
  template <class V> WB_OPERATION V combine(V a, V b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<V, float>) {
      asm("min.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
      return a;
    }
#endif
    return ((b < a) | is_nan(b)) ? b : a;
  }
};
