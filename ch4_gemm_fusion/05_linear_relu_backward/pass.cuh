// The pass that fusion saves: it masks dz in place and sums its columns. A block takes some columns
// of some rows, reads each number once, and leaves a row of sums. A mask has a function that says
// which of `width` numbers to keep, one bit each.
#pragma once

#include "add_up.cuh"

template <int width, class T, class Mask>
__global__ void mask_and_sum(wb::i64 m, int n, wb::i64 height, Mask mask, T* dz, float* sums) {
  struct alignas(width * sizeof(T)) Pack {
    T value[width];
  };
  constexpr int kBatch = 4, kWarps = 8;  // rows on their way per thread
  __shared__ float part[kWarps][32 * width];
  const int column = (blockIdx.x * 32 + threadIdx.x) * width;
  const wb::i64 end = min(m, (blockIdx.y + 1) * height);
  float sum[width] = {};
  if (column < n)
    for (wb::i64 row = blockIdx.y * height + threadIdx.y; row < end; row += kBatch * kWarps) {
      Pack v[kBatch];
      unsigned keep[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b)
        if (row + b * kWarps < end) {
          v[b] = *reinterpret_cast<const Pack*>(dz + (row + b * kWarps) * n + column);
          keep[b] = mask.template keep<width>(row + b * kWarps, column);
        }
#pragma unroll
      for (int b = 0; b < kBatch; ++b)
        if (row + b * kWarps < end) {
          for (int i = 0; i < width; ++i) {
            const float x = keep[b] >> i & 1 ? wb::to_float(v[b].value[i]) : 0;
            v[b].value[i] = wb::from_float<T>(x);
            sum[i] += x;
          }
          *reinterpret_cast<Pack*>(dz + (row + b * kWarps) * n + column) = v[b];
        }
    }
  for (int i = 0; i < width; ++i) part[threadIdx.y][threadIdx.x * width + i] = sum[i];
  __syncthreads();
  const int me = threadIdx.y * 32 + threadIdx.x, mine = blockIdx.x * 32 * width + me;
  if (me >= 32 * width || mine >= n) return;
  float all = 0;
  for (int warp = 0; warp < kWarps; ++warp) all += part[warp][me];
  sums[wb::i64{blockIdx.y} * n + mine] = all;
}

// Set-up of the pass: about a thousand blocks, or fewer with 32 rows each.
template <class T, class Mask>
std::function<void(cudaStream_t)> make_pass(wb::i64 m, wb::i64 n, Mask mask, T* dz, T* db) {
  constexpr int kWide = 16 / sizeof(T);
  const bool wide = n % kWide == 0;
  const wb::i64 across = (n + 32 * (wide ? kWide : 1) - 1) / (32 * (wide ? kWide : 1));
  const wb::i64 height = std::max<wb::i64>(32, (m * across / 1024 + 31) / 32 * 32);
  const wb::i64 down = (m + height - 1) / height;
  return [=, sums = wb::make_device_array<float>(down * n)](cudaStream_t stream) {
    const dim3 grid(across, down), block(32, 8);
    if (across * down > 0 && wide)
      mask_and_sum<kWide><<<grid, block, 0, stream>>>(m, n, height, mask, dz, sums.get());
    else if (across * down > 0)
      mask_and_sum<1><<<grid, block, 0, stream>>>(m, n, height, mask, dz, sums.get());
    finish(down, n, sums.get(), db, stream);
  };
}
