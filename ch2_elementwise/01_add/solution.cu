// The bug hunt, solved. n / width threw the last elements away, fewer than a pack; now the last
// block takes them one by one. And blockIdx and packs are unsigned, so their product was one of 32
// bits and began again at 0 where it passed 2^32. Numbers that count elements, and all they are
// multiplied with, should have 64 bits.
#include "add.h"
#include "packs.cuh"
#include "wb/cuda.h"

namespace {

constexpr wb::i64 kThreads = 256, kBlocks = 4096;

template <int kWidth, class T> __device__ void add_pack(float a, const T* x, T* y) {
  const Pack<T, kWidth> b = load<kWidth>(x);
  Pack<T, kWidth> c = load<kWidth>(y);
#pragma unroll
  for (int j = 0; j < kWidth; ++j) c.element[j] = plus_scaled(c.element[j], a, b.element[j]);
  store(y, c);
}

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads) add(wb::i64 n, float a, const T* x, T* y) {
  const wb::i64 packs = n / kWidth, block = blockIdx.x;
  const wb::i64 last = packs * (block + 1) / kBlocks;  // where the next block begins
  for (wb::i64 i = packs * block / kBlocks + threadIdx.x; i < last; i += kThreads)
    add_pack<kWidth>(a, x + i * kWidth, y + i * kWidth);
  if (const wb::i64 i = packs * kWidth + threadIdx.x; block == kBlocks - 1 && i < n)
    y[i] = plus_scaled(y[i], a, x[i]);
}

void run(const ScaledAdd::Args& p, cudaStream_t stream) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    with_width<T>(aligned(p.x) && aligned(p.y), [&](auto width) {
      add<width()><<<kBlocks, kThreads, 0, stream>>>(p.n, p.a, static_cast<const T*>(p.x),
                                                     static_cast<T*>(p.y));
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(ScaledAdd, solution, run);
WB_NOTE("another problem than the baseline's: y += a x, in place");
