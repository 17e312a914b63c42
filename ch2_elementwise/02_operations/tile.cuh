// Packs of 16 bytes, several per thread, for the kernels after the baseline.
#pragma once

#include "functions.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

template <class T> struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T value[size];
};

constexpr int kThreads = 256;

// z = f(x, y). F has two ways to compute: pack() for a pack, element() for a single value in fp32.
// A thread loads all its packs before it stores the first, so that they are in flight together. A
// block's packs are next to each other: neighbouring lanes take neighbouring packs.
template <class F, class Op, int kPacks, class T>
__global__ void __launch_bounds__(kThreads)
    tile(wb::i64 count, bool aligned, const T* x, const T* y, T* z) {
  constexpr wb::i64 kTile = wb::i64{kThreads} * kPacks * Pack<T>::size;
  const auto at = [](int pack) {
    return blockIdx.x * kTile + (pack * kThreads + threadIdx.x) * wb::i64{Pack<T>::size};
  };
  if (aligned && (blockIdx.x + 1) * kTile <= count) {
    Pack<T> a[kPacks], b[kPacks];
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      a[i] = *reinterpret_cast<const Pack<T>*>(x + at(i));
      if constexpr (Op::binary) b[i] = *reinterpret_cast<const Pack<T>*>(y + at(i));
    }
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      *reinterpret_cast<Pack<T>*>(z + at(i)) = F::pack(Op(), a[i], b[i]);
  } else {  // the last tile, or pointers that 16 does not divide: element by element
#pragma unroll 1
    for (wb::i64 i = blockIdx.x * kTile + threadIdx.x; i < (blockIdx.x + 1) * kTile; i += kThreads)
      if (i < count) {
        const float second = Op::binary ? wb::to_float(y[i]) : 0;
        z[i] = wb::from_float<T>(F::element(Op(), wb::to_float(x[i]), second));
      }
  }
}

template <class F, class Op, int kPacks, class T>
void launch_tiles(wb::i64 count, const T* x, const T* y, T* z, cudaStream_t stream) {
  const auto is_aligned = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool aligned = is_aligned(x) && is_aligned(y) && is_aligned(z);
  const wb::i64 elements = wb::i64{kThreads} * kPacks * Pack<T>::size;
  tile<F, Op, kPacks>
      <<<(count + elements - 1) / elements, kThreads, 0, stream>>>(count, aligned, x, y, z);
  WB_CHECK(cudaGetLastError());
}

template <class F> void launch(const Operations::Args& p, cudaStream_t stream) {
  if (p.count == 0) return;
  with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = wb::DeviceType<decltype(zero)>;
    const T *x = static_cast<const T*>(p.x), *y = static_cast<const T*>(p.y);
    T* z = static_cast<T*>(p.z);
    // In a small array every multiprocessor should get some blocks, so a thread has one pack to
    // compute, not four one after the other. Up to 32 MiB there are a few waves of blocks, and four
    // loads per thread help. In a larger array there are always more blocks to start, and their
    // loads overlap: one pack was fastest on an H200, unless a pack takes long to compute, so that
    // the next can arrive meanwhile.
    constexpr int kLarge = Op::binary || sizeof(T) == 4 ? 1 : F::kLargePacks;
    const wb::i64 bytes = p.count * static_cast<wb::i64>(sizeof(T));
    if (bytes <= 8 << 20)
      launch_tiles<F, Op, 1>(p.count, x, y, z, stream);
    else if (bytes <= 32 << 20)
      launch_tiles<F, Op, Op::binary ? 2 : 4>(p.count, x, y, z, stream);
    else
      launch_tiles<F, Op, kLarge>(p.count, x, y, z, stream);
  });
}

// Each value of a pack by itself: to fp32, the C library's function, and back.
struct Plain {
  static constexpr int kLargePacks = 4;  // per thread, of a large 16-bit array
  template <class Op> static __device__ float element(Op op, float x, float y) {
    return evaluate(op, x, y);
  }
  template <class Op, class T>
  static __device__ Pack<T> pack(Op op, const Pack<T>& x, const Pack<T>& y) {
    Pack<T> z;
#pragma unroll
    for (int i = 0; i < Pack<T>::size; ++i) {
      const float second = Op::binary ? wb::to_float(y.value[i]) : 0;
      z.value[i] = wb::from_float<T>(evaluate(op, wb::to_float(x.value[i]), second));
    }
    return z;
  }
};

}  // namespace
