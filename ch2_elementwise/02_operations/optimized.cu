// Changes against step 1: fewer instructions for 16-bit values. Sums, differences, products and
// ReLU take two values in one instruction. Functions are built from what the special function units
// do in one instruction, exactly enough for 16 bits: the result is the correctly rounded one or
// its neighbour. fp32 stays as it was: its bytes leave time for the library's functions.
//
// Predict: which of the two helps, the packed sums or the short functions?
#include <type_traits>

#include "tile.cuh"

namespace {

__device__ float exp2_approx(float x) {  // 2 units in the last place
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ float reciprocal_approx(float x) {  // 1 unit in the last place
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ float tanh_approx(float x) {  // 2^-11 of the value
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
constexpr float kLog2E = 1.44269504f;

// x * log2(e) is rounded before ex2 takes it to an exponent: 2^-20 of the result for |x| < 16.
template <class Op> __device__ float brief(Op op, float x, float y) { return evaluate(op, x, y); }
// 2 units in the last place. __fdividef is shorter, but x / y is 0 to it where |y| > 2^126, and
// bf16 has such numbers.
__device__ float brief(op::Div, float x, float y) {
  float z;
  asm("div.full.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
}
__device__ float brief(op::Exp, float x, float) { return exp2_approx(x * kLog2E); }
__device__ float brief(op::Sigmoid, float x, float) {
  return reciprocal_approx(1 + exp2_approx(x * -kLog2E));
}
__device__ float brief(op::Silu, float x, float) { return x * brief(op::Sigmoid(), x, 0); }
// The difference is off by 2^-23 or so, which is much of a small result; but tanh(x) = x - x^3 / 3.
// Both ways are good to 2^-15.
__device__ float brief(op::Tanh, float x, float) {
  const float size = fabsf(x);
  const float y = 1 - 2 * reciprocal_approx(1 + exp2_approx(size * (2 * kLog2E)));
  return size < 0x1p-7f ? x : copysignf(y, x);
}
// The probability that a normal variable is less than x is close to 1 / (1 + 2^(x*p(x^2))); this p
// makes gelu good to 2^-11.2 where it is more than 2 x 10^-5. (The usual approximation of gelu has
// tanh instead, and is off by up to 5 x 10^-4: several units of bf16.)
__device__ float brief(op::Gelu, float x, float) {
  const float u = fminf(x * x, 36.0f);
  float p = 3.58485e-8f;
  p = fmaf(p, u, -2.4814129e-6f);
  p = fmaf(p, u, 4.878799e-5f);
  p = fmaf(p, u, 7.594074e-4f);
  p = fmaf(p, u, -0.10654843f);
  p = fmaf(p, u, -2.3009486f);
  return x * reciprocal_approx(1 + exp2_approx(x * p));
}

__device__ float2 to_floats(__half2 x) { return __half22float2(x); }
__device__ float2 to_floats(__nv_bfloat162 x) { return __bfloat1622float2(x); }
__device__ void from_floats(float2 x, __half2& y) { y = __float22half2_rn(x); }
__device__ void from_floats(float2 x, __nv_bfloat162& y) { y = __float22bfloat162_rn(x); }

// Two values at a time: in fp32, or as they are.
template <class Op, class Pair> __device__ Pair both(Op op, Pair x, Pair y) {
  const float2 a = to_floats(x), b = to_floats(y);
  Pair z;
  from_floats({brief(op, a.x, b.x), brief(op, a.y, b.y)}, z);
  return z;
}
template <class Pair> __device__ Pair both(op::Add, Pair x, Pair y) { return __hadd2(x, y); }
template <class Pair> __device__ Pair both(op::Sub, Pair x, Pair y) { return __hsub2(x, y); }
template <class Pair> __device__ Pair both(op::Mul, Pair x, Pair y) { return __hmul2(x, y); }
template <class Pair> __device__ Pair both(op::Relu, Pair x, Pair) {
  return __hmax2_nan(x, Pair{});
}
__device__ __nv_bfloat162 both(op::Tanh, __nv_bfloat162 x, __nv_bfloat162) {
  const float2 a = to_floats(x);
  return __float22bfloat162_rn({tanh_approx(a.x), tanh_approx(a.y)});
}

struct Brief : Plain {
  static constexpr int kLargePacks = 1;
  template <class Op, class T>
  static __device__ Pack<T> pack(Op op, const Pack<T>& x, const Pack<T>& y) {
    if constexpr (sizeof(T) == 4) {
      return Plain::pack(op, x, y);
    } else {
      using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;
      Pack<T> z;
#pragma unroll
      for (int i = 0; i < Pack<T>::size / 2; ++i)
        reinterpret_cast<Pair*>(z.value)[i] =
            both(op, reinterpret_cast<const Pair*>(x.value)[i],
                 Op::binary ? reinterpret_cast<const Pair*>(y.value)[i] : Pair{});
      return z;
    }
  }
};

void run(const Operations::Args& p, cudaStream_t stream) { launch<Brief>(p, stream); }

}  // namespace

WB_CUDA(Operations, optimized, run);
