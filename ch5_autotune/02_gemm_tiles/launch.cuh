// The host's side of kernel.cuh: what a launch needs, whoever compiled the kernel.
#pragma once

#include <functional>
#include <string_view>

#include "gemm_tiles.h"
#include "kernel.cuh"
#include "wb/half.cuh"

namespace tiles {

using Function = std::function<void(cudaStream_t)>;

// f(a, b, c) with pointers to __half or __nv_bfloat16.
template <class F> Function with_types(const GemmTiles::Args& p, F f) {
  return wb::with_dtype(p.dtype, [&](auto zero) -> Function {
    using T = wb::DeviceType<decltype(zero)>;
    if constexpr (sizeof(T) == 2)
      return f(static_cast<const T*>(p.a), static_cast<const T*>(p.b), static_cast<T*>(p.c));
    throw wb::Unsupported("tensor cores: fp16 or bf16");
  });
}

template <class T> struct Maps {
  CUtensorMap a, b, c;
  Maps(const GemmTiles::Args& p, const Shape& s)
      : a(hopper::tensor_map<T>(p.a, p.m, p.k, s.bm)),
        b(hopper::tensor_map<T>(p.b, p.n, p.k, s.bn)),
        c(hopper::tensor_map<T>(p.c, p.m, p.n, 64)) {}
};

inline wb::i64 count(const GemmTiles::Args& p, const Shape& s) {  // of tiles
  return (p.m + s.bm - 1) / s.bm * ((p.n + s.bn - 1) / s.bn);
}
inline int blocks(const GemmTiles::Args& p, const Shape& s) {
  return std::min<wb::i64>(count(p, s), hopper::multiprocessors() * s.blocks);
}

// Chosen::shape is the shape (nvcc takes no kernel with a Shape itself as a template argument).
template <class T, class Chosen>
__global__ void __launch_bounds__(Chosen::shape.threads(), Chosen::shape.blocks)
    multiply(int m, int n, int k, int group, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c,
             T* c) {
  gemm<T, Chosen::shape>(m, n, k, group, map_a, map_b, map_c, c);
}

// Set-up of a variant whose shape was known to nvcc.
template <class Chosen> Function gemm_of(const GemmTiles::Args& p, int group) {
  constexpr Shape s = Chosen::shape;
  static_assert(s.bm % (64 * s.consumers) == 0, "a consumer has whole slabs of 64 rows");
  static_assert(s.shared_bytes() <= 227 << 10, "more shared memory than a block may have");
  static_assert(s.sums() + 32 <= s.registers(), "the sums leave no registers for anything else");
  return with_types(p, [&]<class T>(const T*, const T*, T* c) -> Function {
    hopper::require(p.m, p.n, p.k);
    const auto kernel = multiply<T, Chosen>;
    WB_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  s.shared_bytes()));
    return [=, maps = Maps<T>(p, s), grid = blocks(p, s)](cudaStream_t stream) {
      kernel<<<grid, s.threads(), s.shared_bytes(), stream>>>(p.m, p.n, p.k, group, maps.a, maps.b,
                                                              maps.c, c);
      WB_CHECK(cudaGetLastError());
    };
  });
}

}  // namespace tiles
