// Bug hunt: y += a * x, in place, 16 bytes per load. The number of blocks is fixed, so the device
// need not start thousands of them, and they share the packs as evenly as can be. It is wrong:
//
//   ./workbook test 01_add/exercise     elements of y are what they were before, and in the
//                                       largest case others are increased twice
//
// 256 x 256 elements are right.
//
// TODO: elements are lost in two ways. The small cases show one of them. Once they are right,
// 2100 x 2003 still is not: which block is the first that takes the wrong packs, and why?
// Goal: right at every size
// Hints are in README.md.
#include "add.h"
#include "packs.cuh"
#include "wb/cuda.h"

namespace {

constexpr unsigned kThreads = 256, kBlocks = 4096;

template <int kWidth, class T> __device__ void add_pack(float a, const T* x, T* y) {
  const Pack<T, kWidth> b = load<kWidth>(x);
  Pack<T, kWidth> c = load<kWidth>(y);
#pragma unroll
  for (int j = 0; j < kWidth; ++j) c.element[j] = plus_scaled(c.element[j], a, b.element[j]);
  store(y, c);
}

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads) add(unsigned packs, float a, const T* x, T* y) {
  const unsigned first = packs * blockIdx.x / kBlocks;
  const unsigned last = packs * (blockIdx.x + 1) / kBlocks;  // where the next block begins
  for (wb::i64 i = first + threadIdx.x; i < last; i += kThreads)
    add_pack<kWidth>(a, x + i * kWidth, y + i * kWidth);
}

void run(const ScaledAdd::Args& p, cudaStream_t stream) {
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    with_width<T>(aligned(p.x) && aligned(p.y), [&](auto width) {
      add<width()><<<kBlocks, kThreads, 0, stream>>>(p.n / width(), p.a, static_cast<const T*>(p.x),
                                                     static_cast<T*>(p.y));
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(ScaledAdd, exercise, run);
WB_NOTE("another problem than the baseline's: y += a x, in place");
