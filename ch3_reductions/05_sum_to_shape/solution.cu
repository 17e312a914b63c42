// The exercise, solved, in two kernels: blocks of 256 threads add up whole pieces of `inner`
// neighbours, every parts-th of those that belong to a result, and leave a sum each; then a warp
// per result adds up what they left.
#include "atomics.cuh"

namespace {

constexpr int kWarp = 32;
constexpr int kAtOnce = 4;           // loads per thread in flight
constexpr i64 kWantedBlocks = 1056;  // eight for each of 132 multiprocessors

struct Form {
  i64 outer = 1, kept = 1, inner = 1;  // x as (outer, kept, inner)
  unsigned parts = 1;                  // blocks per result
};

bool form_of(const Shape& shape, Form& f) {
  i64* const group[] = {&f.inner, &f.kept, &f.outer};
  int at = 0;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (shape.size[a] == 1) continue;
    if (shape.reduced[a] != (at % 2 == 0)) ++at;
    if (at > 2) return false;
    *group[at] *= shape.size[a];
  }
  return f.inner > 1;
}

__device__ float over_warp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFF, value, distance);
  return value;
}

template <class T>
__global__ void __launch_bounds__(kThreads) add_parts(Arrays<T> a, float* left, Form f) {
  constexpr int kWidth = 16 / sizeof(T);
  __shared__ float of_warp[kThreads / kWarp];
  const i64 kept = blockIdx.x / f.parts;
  float value[kWidth] = {};
  for (i64 o = blockIdx.x % f.parts; o < f.outer; o += f.parts) {
    const T* x = a.x + (o * f.kept + kept) * f.inner;
    for (i64 at = threadIdx.x * kWidth; at < f.inner; at += kAtOnce * kThreads * kWidth) {
      Pack<T, kWidth> pack[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i)
        if (at + i * kThreads * kWidth < f.inner)
          pack[i] = load<kWidth>(x + at + i * kThreads * kWidth);
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        float more[kWidth];
        to_floats(pack[i], more);
        if (at + i * kThreads * kWidth < f.inner)
#pragma unroll
          for (int j = 0; j < kWidth; ++j) value[j] += more[j];
      }
    }
  }
#pragma unroll
  for (int j = 1; j < kWidth; ++j) value[0] += value[j];
  const float sum = over_warp(value[0]);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = sum;
  __syncthreads();
  if (threadIdx.x >= kWarp) return;
  const float all = over_warp(threadIdx.x < kThreads / kWarp ? of_warp[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) left[blockIdx.x] = all;
}

template <class T> __global__ void add_up(Arrays<T> a, const float* left, Form f) {
  const i64 result = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (result >= a.results) return;  // the whole warp
  float sum = 0;
  for (unsigned i = threadIdx.x % kWarp; i < f.parts; i += kWarp) sum += left[result * f.parts + i];
  sum = over_warp(sum);
  if (threadIdx.x % kWarp == 0) a.y[result] = wb::from_float<T>(sum);
}

std::function<void(cudaStream_t)> make(const SumToShape::Args& p) {
  Form f;
  const i64 width = 16 / static_cast<i64>(SumToShape::element_bytes(p.dtype));
  const bool form = form_of(p.shape, f) && p.shape.elements() > 0 && f.inner % width == 0 &&
                    reinterpret_cast<std::uintptr_t>(p.x) % 16 == 0;
  if (!form) return make_atomics(p);
  f.parts = static_cast<unsigned>(std::min((kWantedBlocks + f.kept - 1) / f.kept, f.outer));
  const auto left = wb::make_device_array<float>(f.kept * f.parts);
  return [p, f, left](cudaStream_t stream) {
    with_arrays(p, [&](auto a) {
      add_parts<<<static_cast<unsigned>(f.kept * f.parts), kThreads, 0, stream>>>(a, left.get(), f);
      add_up<<<blocks(f.kept, kThreads / kWarp), kThreads, 0, stream>>>(a, left.get(), f);
    });
  };
}

}  // namespace

WB_CUDA(SumToShape, solution, make);
