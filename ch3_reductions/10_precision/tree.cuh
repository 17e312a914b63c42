// The kernel that the GPU variants share. Each variant brings its accumulator, which says how a
// thread adds its elements, and how two sums become one.
//
// A row is cut into pieces, one per block: as many as an H200 holds blocks at a time, on every
// device, so that the order of additions follows from n alone (and from where a row begins). Each
// block stores its sum and takes a ticket; the block with the last ticket adds up all of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include "precision.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

constexpr int kWarp = 32;
constexpr int kThreads = 512;  // per block
constexpr int kLoads = 4;      // of 16 bytes per thread, in flight together: 32 KiB a block
constexpr int kPieces = 396;   // of a row, at most: 3 for each of 132 multiprocessors
constexpr int kChains = 4;     // accumulators per thread
// Blocks per multiprocessor that registers must be enough for. Turing holds 1024 threads, others
// 1536 or more.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kPerMultiprocessor = 2;
#else
constexpr int kPerMultiprocessor = 3;
#endif

struct Plan {
  i64 piece;  // elements: whole steps of a block
  unsigned pieces;
  int steps, per_step;  // of a piece; elements per thread in each
};
inline Plan plan_of(const Precision::Args& p) {
  const int width = p.is("fp32") ? 4 : 8;
  const i64 step = i64{kThreads} * kLoads * width, all = (p.n + step - 1) / step;
  const i64 steps = std::max<i64>((all + kPieces - 1) / kPieces, 1);
  const i64 pieces = std::max<i64>((all + steps - 1) / steps, 1);
  return {steps * step, static_cast<unsigned>(pieces), static_cast<int>(steps), kLoads * width};
}

// How many additions an element goes through, at most, after a thread's own: one at each ragged end
// of a piece, 5 in a warp, 4 in a block, and in the last block a lane's share and 5 more.
inline double behind_thread(const Plan& plan) { return 2 + 5 + 4 + (plan.pieces + 31) / 32 + 5; }
// With kChains chains per thread.
inline double chained(const Precision::Args& p) {
  const Plan plan = plan_of(p);
  return static_cast<double>(plan.steps) * plan.per_step / kChains + 2 + behind_thread(plan);
}

// A sum in one word, for shuffles and memory. All bits 0 are a sum of nothing.
template <class Sum>
using Word = std::conditional_t<sizeof(Sum) == 8, unsigned long long, unsigned>;
template <class Sum> __device__ Word<Sum> word_of(const Sum& sum) {
  Word<Sum> word = 0;
  memcpy(&word, &sum, sizeof sum);
  return word;
}
template <class Sum> __device__ Sum sum_of(Word<Sum> word) {
  Sum sum;
  memcpy(&sum, &word, sizeof sum);
  return sum;
}

// What a thread adds up: kChains sums, so that additions need not wait for each other.
template <class Own, class T> struct Chains {
  using Sum = Own;
  Sum sum[kChains] = {};
  template <int kCount> __device__ void take(const T (&x)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum[i % kChains].add(x[i]);
  }
  __device__ Sum result() {
    sum[0].add(sum[2]), sum[1].add(sum[3]);
    sum[0].add(sum[1]);
    return sum[0];
  }
};

// Lane 0 has the result. All lanes must be here.
template <class Sum> __device__ Sum over_lanes(Sum sum) {
#pragma unroll
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    sum.add(sum_of<Sum>(__shfl_down_sync(0xFFFF'FFFFu, word_of(sum), distance)));
  return sum;
}

// Thread 0 has the result. One barrier.
template <class Sum> __device__ Sum over_block(Sum sum) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ Word<Sum> of_warp[kWarps];
  sum = over_lanes(sum);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = word_of(sum);
  __syncthreads();
  if (threadIdx.x >= kWarp) return sum;  // warp 0 alone goes on
  return over_lanes(sum_of<Sum>(threadIdx.x < kWarps ? of_warp[threadIdx.x] : 0));
}

// A thread's part of `count` elements. Up to the first address that 16 divides, and after the last
// one, a thread takes single elements, and all others in loads of 16 bytes. Where no element is
// left to load, it adds zeros.
template <class Own, class T> __device__ typename Own::Sum thread_sum(const T* x, i64 count) {
  constexpr int kWidth = 16 / sizeof(T);
  const int before = static_cast<int>(-reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
  const int head = before < count ? before : static_cast<int>(count);
  const int packs = static_cast<int>((count - head) / kWidth);
  const i64 tail = head + i64{packs} * kWidth + threadIdx.x;
  const auto* from = reinterpret_cast<const uint4*>(x + head) + threadIdx.x;
  Own own;
  for (int first = threadIdx.x; first - static_cast<int>(threadIdx.x) < packs;
       first += kLoads * kThreads, from += kLoads * kThreads) {
    uint4 pack[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      pack[i] = first + i * kThreads < packs ? from[i * kThreads] : uint4{};
    T element[kLoads * kWidth];
    memcpy(element, pack, sizeof pack);
    own.take(element);
  }
  typename Own::Sum sum = own.result();
  if (threadIdx.x < head) sum.add(x[threadIdx.x]);
  if (tail < count) sum.add(x[tail]);
  return sum;
}

// `left`: a sum per block. `tickets`: how many blocks of a row are done; 0 before and after.
template <class Own, class T>
__global__ void __launch_bounds__(kThreads, kPerMultiprocessor)
    reduce(const T* x, i64 n, i64 piece, unsigned pieces, Word<typename Own::Sum>* left,
           unsigned* tickets, double* y) {
  using Sum = typename Own::Sum;
  const unsigned row = blockIdx.x / pieces, own = blockIdx.x % pieces;
  const i64 from = own * piece, count = n - from < piece ? n - from : piece;
  Sum sum = over_block(thread_sum<Own>(x + row * n + from, count));
  if (threadIdx.x >= kWarp) return;
  if (pieces > 1) {
    unsigned before = 0;
    if (threadIdx.x == 0) {
      left[blockIdx.x] = word_of(sum);
      __threadfence();                                // the sum is there before the ticket is taken
      before = atomicInc(&tickets[row], pieces - 1);  // from pieces - 1 on to 0
    }
    if (__shfl_sync(0xFFFF'FFFFu, before, 0) != pieces - 1) return;
    __threadfence();  // no sum is read before the last ticket was
    sum = Sum{};
    for (unsigned i = threadIdx.x; i < pieces; i += kWarp)
      sum.add(sum_of<Sum>(__ldcg(&left[row * pieces + i])));  // past L1, which may be stale
    sum = over_lanes(sum);
  }
  if (threadIdx.x == 0) y[row] = sum.result();
}

// The scratch belongs to this set-up: two streams may run two of them at a time, but not one.
template <class Own, class T>
std::function<void(cudaStream_t)> launch_of(const Precision::Args& p) {
  const Plan plan = plan_of(p);
  const auto grid = static_cast<unsigned>(p.sums * plan.pieces);
  const auto left = wb::make_device_array<Word<typename Own::Sum>>(grid + 1);
  const auto tickets = wb::make_device_zeros<unsigned>(p.sums + 1);
  return [=](cudaStream_t stream) {
    if (grid == 0) return;
    reduce<Own, T><<<grid, kThreads, 0, stream>>>(static_cast<const T*>(p.x), p.n, plan.piece,
                                                  plan.pieces, left.get(), tickets.get(), p.y);
    WB_CHECK(cudaGetLastError());
  };
}

// With Own<T> for the type of this case's elements.
template <template <class> class Own> auto make_sums(const Precision::Args& p) {
  return wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    return launch_of<Own<T>, T>(p);
  });
}

}  // namespace
