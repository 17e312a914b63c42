// The exercise, solved. A block has as many threads as have 16 elements of y and of dy each: 512
// for a row of 8192, in fp32 with 32 registers for what they keep. Two such blocks take half of a
// multiprocessor's places, and have 128 KiB of loads on their way. Rows that are no whole number of
// packs, or do not fit, are left to the kernel of the exercise.
#include "rows.cuh"

namespace {

constexpr int kMostThreads = 512, kPackBytes = 16;
constexpr int kThreads = 256;  // of other rows

template <class T> constexpr int kPacks = sizeof(T);  // per thread: 16 elements

template <class T> struct alignas(kPackBytes) Pack { T value[kPackBytes / sizeof(T)]; };

template <class T> __global__ void __launch_bounds__(kMostThreads, 2) kept(Rows<T> r, int packs) {
  __shared__ float of_warp[kWarp];
  const i64 at = blockIdx.x * r.stride;
  const auto* const all_y = reinterpret_cast<const Pack<T>*>(r.x + at);
  const auto* const all_dy = reinterpret_cast<const Pack<T>*>(r.dy + at);
  auto* const all_dx = reinterpret_cast<Pack<T>*>(r.out + at);
  Pack<T> y[kPacks<T>] = {}, dy[kPacks<T>] = {};
#pragma unroll
  for (int i = 0; i < kPacks<T>; ++i) {
    const int pack = threadIdx.x + i * blockDim.x;
    if (pack < packs) y[i] = all_y[pack], dy[i] = all_dy[pack];
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kPacks<T>; ++i)
    for (int j = 0; j < kPackBytes / static_cast<int>(sizeof(T)); ++j)
      sum += wb::to_float(y[i].value[j]) * wb::to_float(dy[i].value[j]);
  sum = over_block(sum, of_warp);
#pragma unroll
  for (int i = 0; i < kPacks<T>; ++i) {
    const int pack = threadIdx.x + i * blockDim.x;
    for (int j = 0; j < kPackBytes / static_cast<int>(sizeof(T)); ++j)
      y[i].value[j] =
          wb::from_float<T>(wb::to_float(y[i].value[j]) * (wb::to_float(dy[i].value[j]) - sum));
    if (pack < packs) all_dx[pack] = y[i];
  }
}

template <class T> __global__ void backward(Rows<T> r) {
  __shared__ float of_warp[kThreads / kWarp];
  const T* y = r.x + blockIdx.x * r.stride;
  const T* dy = r.dy + blockIdx.x * r.stride;
  T* dx = r.out + blockIdx.x * r.stride;
  float sum = 0;
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    sum += wb::to_float(y[i]) * wb::to_float(dy[i]);
  sum = over_block(sum, of_warp);
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    dx[i] = wb::from_float<T>(wb::to_float(y[i]) * (wb::to_float(dy[i]) - sum));
}

template <class T> __global__ void forward(Rows<T> r) {
  __shared__ Part of_warp[kThreads / kWarp];
  const T* x = r.x + blockIdx.x * r.stride;
  T* y = r.out + blockIdx.x * r.stride;
  Part own = nothing<Part>();
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    own = combine(own, {wb::to_float(x[i]), 1});
  const Part all = over_block(own, of_warp);
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    y[i] = wb::from_float<T>(exponential(wb::to_float(x[i]) - all.max) / all.sum);
}

// Each row begins at an address that 16 divides, and ends at one.
template <class T> bool even(const Rows<T>& r) {
  constexpr i64 kWidth = kPackBytes / sizeof(T);
  const auto address = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
  return r.columns % kWidth == 0 && r.stride % kWidth == 0 &&
         (address(r.x) | address(r.dy) | address(r.out)) % kPackBytes == 0;
}

void run(const Softmax::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto rows) {
    const auto grid = static_cast<unsigned>(p.rows);
    using T = std::remove_reference_t<decltype(*rows.out)>;
    const i64 packs = p.columns * sizeof(T) / kPackBytes;
    if (!p.backward)
      forward<<<grid, kThreads, 0, stream>>>(rows);
    else if (packs <= kMostThreads * kPacks<T> && even(rows))
      kept<<<grid, blocks(packs, kWarp * kPacks<T>) * kWarp, 0, stream>>>(rows,
                                                                          static_cast<int>(packs));
    else
      backward<<<grid, kThreads, 0, stream>>>(rows);
  });
}

}  // namespace

WB_CUDA(Softmax, solution, run);
