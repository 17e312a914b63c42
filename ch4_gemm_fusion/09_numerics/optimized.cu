// Against step 2: each number as two of bf16, a = high + low, which have 16 bits together. Then
// a b = high high + high low + low high, but for low low, which is 2^-16 of it at most. Three
// products are one with three times as many terms:
//
//   A' = [ low  | high | high ]     B' = [ high | low | high ]     C = A' B'^T
//
// The small ones come first. A tensor core cuts off bits that do not fit next to the sum so far,
// and while the sum is small, so are these bits.
//
// Predict: what does it cost against step 2? And what would high x high in front do to the error?
#include "library.cuh"

namespace {

__global__ void split(const float* x, i64 k, i64 count, bool left, __nv_bfloat16* y) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const __nv_bfloat16 high = __float2bfloat16_rn(x[i]);
  const __nv_bfloat16 low = __float2bfloat16_rn(x[i] - __bfloat162float(high));
  __nv_bfloat16* const row = y + i / k * 3 * k + i % k;
  row[0] = left ? low : high;
  row[k] = left ? high : low;
  row[2 * k] = high;
}

auto make(const Numerics::Args& p) {
  return
      [=, cublas = wb::make_cublas(), a = wb::make_device_array<__nv_bfloat16>(3 * p.m * p.k + 1),
       b = wb::make_device_array<__nv_bfloat16>(3 * p.n * p.k + 1)](cudaStream_t stream) {
        const auto split_all = [&](const float* x, i64 count, bool left, __nv_bfloat16* y) {
          if (count > 0) split<<<(count + 255) / 256, 256, 0, stream>>>(x, p.k, count, left, y);
          WB_CHECK(cudaGetLastError());
        };
        split_all(p.a, p.m * p.k, true, a.get());
        split_all(p.b, p.n * p.k, false, b.get());
        multiply(cublas, p, 3 * p.k, a.get(), b.get(), CUDA_R_16BF, CUBLAS_COMPUTE_32F, stream);
      };
}

}  // namespace

WB_CUDA(Numerics, optimized, make);
