// C = A B^T where k is so small that a product takes less time than its stores: ordinary
// multiply-adds. A thread has two columns of C, keeps the rows of B for them in registers, and
// walks down the rows of C. A warp then stores 128 neighbouring bytes at a time.
#pragma once

#include "../hopper.cuh"
#include "plan.h"
#include "wb/half.cuh"

namespace any_shape {

constexpr int kFewThreads = kFewColumns / 2;

// kTerms: k or more; what is missing are zeros.
template <int kTerms, class T, class Epilogue>
__global__ void __launch_bounds__(kFewThreads)
    few_terms(int m, int n, int k, int across, const T* a, const T* b, T* c,
              const Epilogue epilogue) {
#ifdef HOPPER_CODE
  __shared__ alignas(16) float left[kFewRows][kTerms];
  const int row = static_cast<int>(blockIdx.x) / across * kFewRows, rows = min(kFewRows, m - row);
  const int column = static_cast<int>(blockIdx.x) % across * kFewColumns + 2 * threadIdx.x;
  for (int i = threadIdx.x; i < kFewRows * kTerms; i += kFewThreads) {
    const int r = i / kTerms, l = i % kTerms;
    left[r][l] = r < rows && l < k ? wb::to_float(a[static_cast<long long>(row + r) * k + l]) : 0;
  }
  // A row of C may begin in the middle of a word. There the words of this thread begin one column
  // earlier, so it needs three rows of B.
  float right[3][kTerms];
#pragma unroll
  for (int j = 0; j < 3; ++j)
#pragma unroll
    for (int l = 0; l < kTerms; ++l) {
      const int at = column + j - 1;
      right[j][l] =
          at >= 0 && at < n && l < k ? wb::to_float(b[static_cast<long long>(at) * k + l]) : 0;
    }
  __syncthreads();
  const auto store = [&](int r, int first, const float(&x)[kTerms], const float(&y)[kTerms]) {
    float2 sum = {};
#pragma unroll
    for (int l = 0; l < kTerms; ++l) sum.x += left[r][l] * x[l], sum.y += left[r][l] * y[l];
    const bool has_first = first >= 0 && first < n, has_second = first + 1 < n;
    if (has_first) sum.x = epilogue(sum.x, first);
    if (has_second) sum.y = epilogue(sum.y, first + 1);
    T* const to = c + static_cast<long long>(row + r) * n + first;
    if (has_first && has_second) {
      *reinterpret_cast<std::uint32_t*>(to) = hopper::pack<T>(sum.x, sum.y);
    } else {
      if (has_first) to[0] = wb::from_float<T>(sum.x);
      if (has_second) to[1] = wb::from_float<T>(sum.y);
    }
  };
#pragma unroll 4
  for (int r = 0; r < rows; ++r) {
    const T* const begin = c + static_cast<long long>(row + r) * n;
    if (reinterpret_cast<std::uintptr_t>(begin) % 4)
      store(r, column - 1, right[0], right[1]);
    else
      store(r, column, right[1], right[2]);
  }
#endif
}

}  // namespace any_shape
