// The tensor core's instructions before Hopper (compute capability 8.0): a warp multiplies out of
// its registers. How a lane's numbers lie in them: PTX manual, "Matrix Fragments for mma.m16n8k16".
#pragma once

#include <type_traits>

#include "wb/half.cuh"

namespace tensor {

// Piece p of 16 bytes in a row of a swizzled tile: eight pieces of one column lie in different
// banks.
template <int width, class T> __device__ T* piece(T* tile, int row, int p) {
  return tile + row * width + (p ^ row % 8) * 8;
}
// 16 bytes from device into shared memory, later (cp.async); zeros, if not `inside`.
template <class T> __device__ void copy(T* to, const T* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

// Four 8 x 8 pieces of 16-bit numbers from shared memory: lane l names row l % 8 of piece l / 8.
#define LOAD(KIND)                                                                        \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" KIND ".shared.b16 {%0, %1, %2, %3}, [%4];" \
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])                           \
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))                \
               : "memory")
template <class T> __device__ void load(unsigned (&x)[4], const T* row) { LOAD(""); }
template <class T> __device__ void load_transposed(unsigned (&x)[4], const T* row) {
  LOAD(".trans");
}

// sum += A B^T with A 16 x 16 and B 8 x 16.
#define MMA(TYPES)                                                           \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." TYPES                         \
      ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])               \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
template <class T>
__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned* b) {
  if constexpr (std::is_same_v<T, __half>)
    MMA("f16.f16");
  else
    MMA("bf16.bf16");
}

// The same with B of 16 rows: two sums, side by side.
template <class T>
__device__ void multiply(float (*sum)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
  multiply<T>(sum[0], a, b), multiply<T>(sum[1], a, b + 2);
}

template <class T> __device__ unsigned pack(const float* x, float factor = 1) {  // two neighbours
  const T pair[] = {wb::from_float<T>(x[0] * factor), wb::from_float<T>(x[1] * factor)};
  return *reinterpret_cast<const unsigned*>(pair);
}

#undef LOAD
#undef MMA

}  // namespace tensor
