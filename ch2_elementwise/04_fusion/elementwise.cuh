// One elementwise kernel for all variants: they differ in what they put into it and how often they
// call it, not in how it moves bytes.
#pragma once

#include <algorithm>

#include "fusion.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

// 2^x and 1/x, each one instruction of the special function units: off by at most 2 ulp and 1 ulp.
// exp2f() and a division would spend more instructions on numbers below 2^-126, which count as 0
// here. In 16-bit types this kernel has some 45 instructions per element before they cost time.
__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float reciprocal_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// v / (1 + exp(-2u))
__device__ inline float gelu(float v) {
  constexpr float kLog2E = 1.44269504f, kLinear = -2 * 0.79788456f * kLog2E;
  const float exponent = v * fmaf(kLinear * 0.044715f, v * v, kLinear);
  return v * reciprocal_approx(1 + exp2_approx(exponent));
}

// What a kernel does with an element. One that doesn't ask for the bias or the residual doesn't
// read it.
struct AddBias {
  static constexpr bool kBias = true, kResidual = false;
  __device__ float operator()(float x, float bias, float) const { return x + bias; }
};
struct Gelu {
  static constexpr bool kBias = false, kResidual = false;
  __device__ float operator()(float x, float, float) const { return gelu(x); }
};
struct Scale {
  static constexpr bool kBias = false, kResidual = false;
  __device__ float operator()(float x, float, float) const { return x * kScale; }
};
struct AddResidual {
  static constexpr bool kBias = false, kResidual = true;
  __device__ float operator()(float x, float, float residual) const { return x + residual; }
};

// kWidth elements that are loaded and stored with one instruction.
template <class T, int kWidth> struct alignas(sizeof(T) * kWidth) Vector { T value[kWidth]; };

// A thread takes kRows vectors, one below the other, so it needs only one of the bias. All loads
// are in flight before the first result is stored, and none is inside a condition: past the last
// row a thread loads its own first row once more. (Where a load need not happen, 16-bit elements
// have to be taken out of their words at once, and that waits for the load before the next is asked
// for.) `in` may be `out`, so a thread reads no row that another one writes. width: vectors per
// row.
template <class T, int kWidth, int kRows, class Op>
__global__ void __launch_bounds__(256)
    elementwise(wb::i64 rows, wb::i64 width, unsigned tiles, const T* in, const T* bias,
                const T* residual, T* out, Op op) {
  using V = Vector<T, kWidth>;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x % tiles) * blockDim.x + threadIdx.x;
  const wb::i64 row = static_cast<wb::i64>(blockIdx.x / tiles) * blockDim.y * kRows + threadIdx.y;
  if (column >= width || row >= rows) return;
  V x[kRows], r[kRows] = {}, b = {};
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    const wb::i64 below = row + k * static_cast<int>(blockDim.y), from = below < rows ? below : row;
    x[k] = reinterpret_cast<const V*>(in)[from * width + column];
    if (Op::kResidual) r[k] = reinterpret_cast<const V*>(residual)[from * width + column];
  }
  if (Op::kBias) b = reinterpret_cast<const V*>(bias)[column];
#pragma unroll
  for (int k = 0; k < kRows; ++k)
    if (const wb::i64 below = row + k * static_cast<int>(blockDim.y); below < rows) {
#pragma unroll
      for (int i = 0; i < kWidth; ++i)
        x[k].value[i] = wb::from_float<T>(
            op(wb::to_float(x[k].value[i]), wb::to_float(b.value[i]), wb::to_float(r[k].value[i])));
      reinterpret_cast<V*>(out)[below * width + column] = x[k];
    }
}

template <class T, int kWidth, int kRows, class Op>
void launch(const Fusion::Args& p, const void* in, Op op, int threads, cudaStream_t stream) {
  const wb::i64 width = p.columns / kWidth;
  const int x = static_cast<int>(std::min<wb::i64>((width + 31) / 32 * 32, threads));
  const int y = threads / x;
  const wb::i64 tiles = (width + x - 1) / x, down = (p.rows + y * kRows - 1) / (y * kRows);
  if (tiles * down > INT32_MAX) throw wb::Unsupported("more than 2^31 blocks");
  elementwise<T, kWidth, kRows><<<tiles * down, dim3(x, y), 0, stream>>>(
      p.rows, width, tiles, static_cast<const T*>(in), static_cast<const T*>(p.bias),
      static_cast<const T*>(p.residual), static_cast<T*>(p.y), op);
  WB_CHECK(cudaGetLastError());
}

// y = op(in, bias, residual)
template <class Op> void apply(const Fusion::Args& p, const void* in, Op op, cudaStream_t stream) {
  if (p.size() == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    constexpr int kWidth = 16 / sizeof(T);
    const wb::i64 bytes = p.size() * static_cast<wb::i64>(sizeof(T));
    bool aligned = p.columns % kWidth == 0;
    for (const void* pointer : {in, p.bias, p.residual, static_cast<const void*>(p.y)})
      aligned = aligned && reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;
    if (!aligned)
      launch<T, 1, 4>(p, in, op, 256, stream);
    else if (!Op::kResidual && bytes > 8 << 20 && bytes <= 32 << 20)
      launch<T, kWidth, 4>(p, in, op, 256, stream);  // a few waves of blocks, and one load per row
    else
      launch<T, kWidth, 1>(p, in, op, 128, stream);
  });
}

}  // namespace
