// C is the sum of its parts, always in the same order, so that the same inputs give the same bits.
// The epilogue sees whole sums.
#pragma once

#include <type_traits>

#include "product.h"

namespace sgemm {

constexpr int kQuads = 32;  // of C per block; its other threads take other parts of the same quads
constexpr int kMostAdders = 16;

template <class Epilogue>
__global__ void __launch_bounds__(kQuads* kMostAdders)
    add_parts(wb::i64 count, wb::i64 pitch, int parts, const float* part, float* c, int n,
              Epilogue epilogue) {
  __shared__ float4 found[kMostAdders][kQuads];
  const wb::i64 at = 4 * (static_cast<wb::i64>(blockIdx.x) * kQuads + threadIdx.x);
  float4 sum = {};
  const auto add = [&](const float4& more) {
    sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
  };
  if (at < count)
#pragma unroll 4
    for (int i = threadIdx.y; i < parts; i += blockDim.y)
      add(*reinterpret_cast<const float4*>(part + i * pitch + at));
  found[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0 || at >= count) return;
  for (int i = 1; i < blockDim.y; ++i) add(found[i][threadIdx.x]);
  if constexpr (!std::is_same_v<Epilogue, Sum>) {
    int column = static_cast<int>(at % n);
    for (float* x : {&sum.x, &sum.y, &sum.z, &sum.w}) {
      *x = epilogue(*x, column);
      column = column + 1 < n ? column + 1 : 0;
    }
  }
  if (at + 4 <= count) {
    *reinterpret_cast<float4*>(c + at) = sum;
  } else {
    const float rest[] = {sum.x, sum.y, sum.z};
    for (int i = 0; at + i < count; ++i) c[at + i] = rest[i];
  }
}

}  // namespace sgemm
