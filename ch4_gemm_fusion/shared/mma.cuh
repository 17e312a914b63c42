// The tensor core's instructions before Hopper (compute capability 8.0): a warp multiplies out of
// its registers. The order of a lane's numbers in them: PTX manual, "Matrix Fragments for
// mma.m16n8k16".
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Code for less has none of them. Kernels that call these functions are never launched there, but
// compiled.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define AMPERE(...) asm volatile(__VA_ARGS__)
#else
#define AMPERE(...) static_cast<void>(0)
#endif

namespace tensor {

template <class T> constexpr bool kIsHalf = false;
template <> inline constexpr bool kIsHalf<__half> = true;

// Piece p of 16 bytes in a row of a swizzled tile, whose rows have `width` numbers: eight pieces of
// one column are in different banks. (Two rows of 64 bytes fill all the banks once, and share an
// order.)
template <int width, class T> __device__ T* piece(T* tile, int row, int p) {
  constexpr int kShare = width < 64 ? 64 / width : 1;
  return tile + row * width + (p ^ row / kShare % (8 / kShare)) * 8;
}
// 16 bytes from device into shared memory, later (cp.async); zeros, if not `inside`.
template <class T> __device__ void copy(T* to, const T* from, bool inside) {
  AMPERE("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
             static_cast<unsigned>(__cvta_generic_to_shared(to))),
         "l"(from), "r"(inside ? 16 : 0)
         : "memory");
}
// The same of two numbers, 4 bytes.
template <class T> __device__ void copy_pair(T* to, const T* from, bool inside) {
  AMPERE("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
             static_cast<unsigned>(__cvta_generic_to_shared(to))),
         "l"(from), "r"(inside ? 4 : 0)
         : "memory");
}
// What was asked for until now is a group.
__device__ inline void commit() { AMPERE("cp.async.commit_group;" ::: "memory"); }
// Until all but the last `pending` groups of this thread are there.
template <int pending> __device__ void wait_for_copies() {
  AMPERE("cp.async.wait_group %0;" ::"n"(pending) : "memory");
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
#define MMA(TYPES)                                                              \
  AMPERE("mma.sync.aligned.m16n8k16.row.col.f32." TYPES                         \
         ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
         : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])               \
         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
template <class T>
__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], const unsigned* b) {
  if constexpr (kIsHalf<T>)
    MMA("f16.f16");
  else
    MMA("bf16.bf16");
}

// The same with B of 16 rows: two sums, side by side.
template <class T>
__device__ void multiply(float (*sum)[4], const unsigned (&a)[4], const unsigned (&b)[4]) {
  multiply<T>(sum[0], a, b), multiply<T>(sum[1], a, b + 2);
}

// Two neighbours, scaled and rounded: the first in the lower half.
template <class T> __device__ unsigned pack(const float* x, float factor = 1) {
  unsigned bits = 0;
  if constexpr (kIsHalf<T>)
    AMPERE("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(x[1] * factor), "f"(x[0] * factor));
  else
    AMPERE("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(x[1] * factor), "f"(x[0] * factor));
  return bits;
}

// Of four lanes, lane q has word q of four pieces. Then it has the four words of piece q.
__device__ inline void transpose(unsigned (&word)[4]) {
#pragma unroll
  for (int step = 1; step <= 2; step *= 2)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (!(i & step)) {
        const bool upper = threadIdx.x & step;
        const unsigned other = __shfl_xor_sync(~0u, upper ? word[i] : word[i + step], step);
        if (upper)
          word[i] = other;
        else
          word[i + step] = other;
      }
}

#undef AMPERE
#undef LOAD
#undef MMA

}  // namespace tensor
