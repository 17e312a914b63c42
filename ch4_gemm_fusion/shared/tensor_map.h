// The host's side of TMA, Hopper's copy engine: the description of a matrix, and where TMA can't be
// used. shared/hopper.cuh has the device's side.
#pragma once

#ifdef __CUDACC_RTC__  // a kernel that is compiled at run time: NVRTC knows no headers of the host
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
namespace std {
using uint32_t = unsigned;
using uint64_t = unsigned long long;
template <class A, class B> constexpr bool is_same_v = false;
template <class A> constexpr bool is_same_v<A, A> = true;
}  // namespace std
#else

#include <cuda.h>  // types alone: nothing is linked with libcuda
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "wb/compiled.cuh"

// Of a kernel: N neighbouring blocks run together, as a *cluster*.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HOPPER_CLUSTER(N) __cluster_dims__(N, 1, 1)
#else
#define HOPPER_CLUSTER(N)
#endif

namespace hopper {

inline bool is_here() {
  int device, major;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major == 9;
}
// Why C = A B^T of this size can't be made with TMA and wgmma; null: it can.
inline const char* obstacle(wb::i64 m, wb::i64 n, wb::i64 k) {
  if (!is_here()) return "needs compute capability 9.0 (Hopper): no other GPU has wgmma";
  if (n % 8 || k % 8) return "TMA needs rows of whole 16 bytes: n and k must be multiples of 8";
  if (m * n * k == 0) return "TMA knows no empty matrix";
  if (std::max({m, n, k}) > 1 << 22) return "too large: at most 2^22 rows";
  return nullptr;
}
inline const char* no_code() {  // the same for code of this build
  return wb::compiled_code() == 901 ? nullptr
                                    : "this build has no code for Hopper: run cmake "
                                      "-DWB_CUDA_ARCHITECTURES=90a build/cuda, "
                                      "then start again";
}
// Throws wb::Unsupported where there is one of these.
inline void require(wb::i64 m = 8, wb::i64 n = 8, wb::i64 k = 8) {
  if (const char* why = obstacle(m, n, k)) throw wb::Unsupported(why);
  if (const char* why = no_code()) throw wb::Unsupported(why);
}

inline int multiprocessors() {
  int device, count;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

// A *tensor map* tells TMA what a row-major matrix is like, and which box of it one copy moves:
// `box_rows` x 64 numbers. Elements outside the matrix read as 0, and are not written. Of several
// `matrices`, one after the other, a box is in one: rows below its last row are outside, too.
template <class T>
CUtensorMap tensor_map(const void* data, wb::i64 rows, wb::i64 columns, int box_rows,
                       wb::i64 matrices = 0) {
  static void* const encode = [] {
    void* const function = wb::driver_function("cuTensorMapEncodeTiled");
    if (!function) throw wb::Unsupported("needs a driver with TMA (CUDA 12 or later)");
    return function;
  }();
  constexpr auto type = std::is_same_v<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                  : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  const int rank = matrices > 0 ? 3 : 2;  // fastest dimension first; strides are bytes
  const cuuint64_t sizes[] = {cuuint64_t(columns), cuuint64_t(rows), cuuint64_t(matrices)};
  const cuuint64_t stride[] = {cuuint64_t(columns * 2), cuuint64_t(rows * columns * 2)};
  const cuuint32_t box[] = {64, cuuint32_t(box_rows), 1}, every[] = {1, 1, 1};
  CUtensorMap map;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, type, rank, const_cast<void*>(data), sizes, stride, box, every,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw wb::Unsupported("TMA refuses this matrix: rows must be multiples of 16 bytes");
  return map;
}

}  // namespace hopper

#endif  // __CUDACC_RTC__
