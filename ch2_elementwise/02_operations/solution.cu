// The exercise, solved: constants with an f, functions with an f, and two products for pow(). tanh
// has to change more than its letters: in fp32 the difference of two numbers near 1 leaves nothing
// of a small result, and the double hid that. tanhf() takes care of it.
//
// It is 0.94 times as fast as optimized (H200, 2026-11-25).
#include <math.h>

#include "tile.cuh"

namespace {

template <class Op> __device__ float by_the_book(Op op, float x, float y) {
  return evaluate(op, x, y);
}
__device__ float by_the_book(op::Relu, float x, float) { return x < 0.0f ? 0.0f : x; }
__device__ float by_the_book(op::Sigmoid, float x, float) { return 1.0f / (1.0f + expf(-x)); }
__device__ float by_the_book(op::Silu, float x, float) { return x / (1.0f + expf(-x)); }
__device__ float by_the_book(op::Tanh, float x, float) { return tanhf(x); }
__device__ float by_the_book(op::Gelu, float x, float) {
  return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

struct ByTheBook : Plain {
  template <class Op> static __device__ float element(Op op, float x, float y) {
    return by_the_book(op, x, y);
  }
  template <class Op, class T>
  static __device__ Pack<T> pack(Op op, const Pack<T>& x, const Pack<T>& y) {
    Pack<T> z;
#pragma unroll
    for (int i = 0; i < Pack<T>::size; ++i) {
      const float second = Op::binary ? wb::to_float(y.value[i]) : 0;
      z.value[i] = wb::from_float<T>(element(op, wb::to_float(x.value[i]), second));
    }
    return z;
  }
};

void run(const TanhGelu::Args& p, cudaStream_t stream) { launch<ByTheBook>(p, stream); }

}  // namespace

WB_CUDA(TanhGelu, solution, run);
