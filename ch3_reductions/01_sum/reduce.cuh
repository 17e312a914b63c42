// What the GPU variants share: 16 bytes at a time, a warp and a block that become one number, and
// what stands around a kernel that ends in atomics.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operations.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kWarp = 32;

// Neighbouring elements that travel in one access of 16 bytes.
template <class T> struct alignas(16) Pack {
  static constexpr int kWidth = 16 / sizeof(T);
  T element[kWidth];

  // A load of what nobody reads again: its lines are the first that the caches give up.
  static __device__ Pack once(const Pack* from) {
    const uint4 words = __ldcs(reinterpret_cast<const uint4*>(from));
    Pack pack;
    memcpy(&pack, &words, sizeof pack);
    return pack;
  }
};

// An array as packs, for which addresses must be multiples of 16: x may begin in the middle of one
// and end in the middle of another. What stands in front of the first whole pack and behind the
// last are fewer than 2 * kWidth elements, the edge.
template <class T> struct Packs {
  const Pack<T>* pack;
  wb::i64 count;
  const T *front, *back;
  int in_front, behind;
  __device__ int edge() const { return in_front + behind; }
  __device__ T at_edge(int i) const { return i < in_front ? front[i] : back[i - in_front]; }
};
template <class T> Packs<T> packs(const void* data, wb::i64 n) {
  constexpr int kWidth = Pack<T>::kWidth;
  const T* x = static_cast<const T*>(data);
  const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
  const auto in_front = static_cast<int>(std::min<wb::i64>(n, (kWidth - past) % kWidth));
  const wb::i64 count = (n - in_front) / kWidth;
  const auto* pack = reinterpret_cast<const Pack<T>*>(x + in_front);
  const T* back = x + in_front + count * kWidth;
  return {pack, count, x, back, in_front, static_cast<int>(x + n - back)};
}

// One accumulator for each element of a pack, so that no addition waits for the one before it.
template <class Op, class T> struct Accumulators {
  float value[Pack<T>::kWidth];
  __device__ Accumulators() {
#pragma unroll
    for (float& v : value) v = Op::kNothing;
  }
  __device__ void take(const Pack<T>& pack) {
#pragma unroll
    for (int i = 0; i < Pack<T>::kWidth; ++i)
      value[i] = Op::of(value[i], wb::to_float(pack.element[i]));
  }
  __device__ float result() const {  // pairwise
    float v[Pack<T>::kWidth];
#pragma unroll
    for (int i = 0; i < Pack<T>::kWidth; ++i) v[i] = value[i];
#pragma unroll
    for (int half = Pack<T>::kWidth / 2; half > 0; half /= 2)
#pragma unroll
      for (int i = 0; i < half; ++i) v[i] = Op::of(v[i], v[i + half]);
    return v[0];
  }
};

// All lanes of a warp take part; lane 0 has the result. A shuffle hands a register to another lane,
// without shared memory and without a barrier.
template <class Op> __device__ float warp_reduce(float value) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2)
    value = Op::of(value, __shfl_down_sync(0xFFFF'FFFFu, value, lanes));
  return value;
}

// All threads take part; thread 0 has the result. One barrier, so before a kernel does it a second
// time for the same operation it needs another: else a fast warp would overwrite what warp 0 still
// reads.
template <class Op, int kThreads> __device__ float block_reduce(float value) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ float of_warp[kWarps];
  value = warp_reduce<Op>(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  if (threadIdx.x >= kWarp) return value;  // warp 0 alone goes on
  return warp_reduce<Op>(threadIdx.x < kWarps ? of_warp[threadIdx.x] : Op::kNothing);
}

// Hands take() the packs first, first + step ... in front of `end`, each as load(its place) has it:
// kLoads of them are in flight before the first is taken.
template <int kLoads, class T, class Load, class F>
__device__ void for_packs(wb::i64 first, wb::i64 end, wb::i64 step, Load load, F take) {
  wb::i64 i = first;
  for (; i + (kLoads - 1) * step < end; i += kLoads * step) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) pack[j] = load(i + j * step);
#pragma unroll
    for (int j = 0; j < kLoads; ++j) take(pack[j]);
  }
  Pack<T> pack[kLoads - 1];  // the rest, in flight together as well
#pragma unroll
  for (int j = 0; j < kLoads - 1; ++j)
    if (i + j * step < end) pack[j] = load(i + j * step);
#pragma unroll
  for (int j = 0; j < kLoads - 1; ++j)
    if (i + j * step < end) take(pack[j]);
}
// The same for a thread that goes round the array, with the grid's width as its step.
template <int kThreads, int kLoads, class T, class F>
__device__ void for_packs(const Packs<T>& x, F take) {
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  const wb::i64 step = static_cast<wb::i64>(gridDim.x) * kThreads;
  for_packs<kLoads, T>(
      first, x.count, step, [&](wb::i64 i) { return x.pack[i]; }, take);
}

// `value` and the edge, which is left to the first threads of the first block.
template <class Op, class T> __device__ float with_edge(const Packs<T>& x, float value) {
  if (blockIdx.x > 0 || threadIdx.x >= x.edge()) return value;
  return Op::of(value, wb::to_float(x.at_edge(threadIdx.x)));
}

// What one thread makes of its packs.
template <class Op, int kThreads, int kLoads, class T>
__device__ float thread_reduce(const Packs<T>& x) {
  Accumulators<Op, T> sums;
  for_packs<kThreads, kLoads>(x, [&](const Pack<T>& pack) { sums.take(pack); });
  return with_edge<Op>(x, sums.result());
}

// There is an instruction for a sum. For the others: compare and swap, until nobody came between.
template <class Op> __device__ void atomic_reduce(float* to, float value) {
  if constexpr (std::is_same_v<Op, Plus>) {
    atomicAdd(to, value);
  } else {
    unsigned* const bits = reinterpret_cast<unsigned*>(to);
    for (unsigned seen = *bits;;) {
      const unsigned wanted = __float_as_uint(Op::of(__uint_as_float(seen), value));
      if (wanted == seen) return;
      const unsigned before = atomicCAS(bits, seen, wanted);
      if (before == seen) return;
      seen = before;
    }
  }
}

// A mean is a sum that is divided at the end.
__device__ inline float quotient(float value, double divisor) {
  return divisor == 1 ? value : static_cast<float>(value / divisor);
}

// Atomics need a first value to go on from, and a mean a division when all of them are done.
__global__ void set(float* result, float value) { *result = value; }
__global__ void divide(float* result, double divisor) { *result = quotient(*result, divisor); }

// f(Op, T) for a case's operation and type.
template <class Args, class F> void with_op_and_type(const Args& p, F f) {
  with_op(p.op, [&](auto op) {
    wb::with_dtype(p.dtype, [&](auto zero) { f(op, wb::DeviceType<decltype(zero)>{}); });
  });
}

// launch(Op, T) with what atomics need around it.
template <class Args, class F> void with_atomics(const Args& p, cudaStream_t stream, F launch) {
  with_op_and_type(p, [&](auto op, auto zero) {
    set<<<1, 1, 0, stream>>>(p.result, op.kNothing);
    if (p.n > 0) launch(op, zero);
    if (p.mean()) divide<<<1, 1, 0, stream>>>(p.result, p.divisor());
    WB_CHECK(cudaGetLastError());
  });
}

inline unsigned blocks(wb::i64 n, wb::i64 a_block) {
  return static_cast<unsigned>((n + a_block - 1) / a_block);
}

// As many blocks of a kernel as the device holds at a time.
template <class Kernel> unsigned wave(Kernel kernel, int threads) {
  int device = 0, multiprocessors = 0, each = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0));
  return static_cast<unsigned>(multiprocessors * std::max(each, 1));
}

}  // namespace
