// Changes against step 2: the packs per thread, and the threads per block, follow from the
// size of the arrays.
//
//   up to 512 KiB   1 pack    few elements: no multiprocessor has much to do, and few blocks
//                             have to start (64 on 132 multiprocessors are enough at 256 x 256)
//   up to 32 MiB    2 packs   the whole array is a few waves of blocks (a wave is as many as the
//                             device holds at a time): a thread's four loads are all in flight
//                             before it waits, and large blocks are few to start
//   above           1 pack    there are always more blocks to start, and their loads overlap
//                             without any help from the thread
//
// The table was measured (an H200, blocks of 64 to 1024 threads, 1 to 4 packs). It is worth up to
// 8 % in the middle, and the next best choice is never far.
//
// Predict: at which sizes does it matter, or was step 2 at the roof already? (Lesson
// 07_launch_config draws the curves.)
#include "add.h"
#include "packs.cuh"
#include "wb/cuda.h"

namespace {

// A block's tile: kPacks times kThreads packs. A thread issues all its loads before its first
// store.
template <int kWidth, int kThreads, int kPacks, class T>
__global__ void __launch_bounds__(kThreads) add(wb::i64 n, const T* x, const T* y, T* z) {
  constexpr int kTile = kThreads * kPacks * kWidth, kStep = kThreads * kWidth;
  const wb::i64 tile = static_cast<wb::i64>(blockIdx.x) * kTile;
  if (tile + kTile <= n) {
    const wb::i64 first = tile + threadIdx.x * kWidth;
    Pack<T, kWidth> a[kPacks], b[kPacks];
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      a[i] = load<kWidth>(x + first + i * kStep);
      b[i] = load<kWidth>(y + first + i * kStep);
    }
#pragma unroll
    for (int i = 0; i < kPacks; ++i) store(z + first + i * kStep, plus(a[i], b[i]));
  } else {  // the last tile
    for (wb::i64 i = tile + threadIdx.x; i < n; i += kThreads) z[i] = plus(x[i], y[i]);
  }
}

void run(const Add::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const auto launch = [&](auto width, auto threads, auto packs) {
      add<width(), threads(), packs()>
          <<<blocks(p.n, threads() * packs() * width()), threads(), 0, stream>>>(
              p.n, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
      WB_CHECK(cudaGetLastError());
    };
    const wb::i64 bytes = p.n * static_cast<wb::i64>(sizeof(T));
    with_width<T>(aligned(p.x) && aligned(p.y) && aligned(p.z), [&](auto width) {
      if (bytes > 512 << 10 && bytes <= 32 << 20)
        launch(width, number<512>, number<2>);
      else
        launch(width, number<256>, number<1>);
    });
  });
}

}  // namespace

WB_CUDA(Add, optimized, run);
