// The formula, pass by pass, with a block per row: the maximum, the sum of the exponentials, and
// the quotients. A tree in shared memory makes one value of the threads'. The backward pass is a
// sum and then the products.
//
// Predict: how many times is x read, and how often from memory? A row of 8192 is 32 KiB.
#include "reader.cuh"

namespace {

constexpr int kThreads = 256;

template <class F> __device__ float tree(float value, F f) {
  __shared__ float values[kThreads];
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      values[threadIdx.x] = f(values[threadIdx.x], values[threadIdx.x + half]);
    __syncthreads();
  }
  value = values[0];
  __syncthreads();  // before the next one writes
  return value;
}

struct Add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class T> __global__ void forward(Rows<T> r) {
  const T* x = r.x + blockIdx.x * r.stride;
  T* y = r.out + blockIdx.x * r.stride;
  float max = -INFINITY, sum = 0;
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads) max = fmaxf(max, wb::to_float(x[i]));
  max = tree(max, Larger());
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads) sum += expf(wb::to_float(x[i]) - max);
  sum = tree(sum, Add());
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    y[i] = wb::from_float<T>(expf(wb::to_float(x[i]) - max) / sum);
}

template <class T> __global__ void backward(Rows<T> r) {
  const T* y = r.x + blockIdx.x * r.stride;
  const T* dy = r.dy + blockIdx.x * r.stride;
  T* dx = r.out + blockIdx.x * r.stride;
  float sum = 0;
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    sum += wb::to_float(y[i]) * wb::to_float(dy[i]);
  sum = tree(sum, Add());
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    dx[i] = wb::from_float<T>(wb::to_float(y[i]) * (wb::to_float(dy[i]) - sum));
}

auto make(const Softmax::Args& p) {
  return [p, read = reader(p)](cudaStream_t stream) {
    with_rows(p, [&](auto rows) {
      const auto grid = static_cast<unsigned>(p.rows);
      if (p.backward)
        backward<<<grid, kThreads, 0, stream>>>(rows);
      else
        forward<<<grid, kThreads, 0, stream>>>(rows);
    });
    read(stream);
  };
}

}  // namespace

WB_CUDA(Softmax, baseline, make);
