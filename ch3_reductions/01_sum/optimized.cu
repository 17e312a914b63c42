// Changes against step 3: one launch. The block that is done last adds up what the others left, in
// the order of their numbers. Which block that is changes from run to run, what it computes does
// not: same input, same bits.
//
//   512 threads, 8 loads of 16 bytes each   64 KiB in flight per block, two blocks. An H200 wants
//                                           tens of KiB per multiprocessor (Little's law): one
//                                           block has them while the other one adds
//   a tile per block                        256 KiB side by side. Where there are more tiles than
//                                           places for blocks, a place that is done gets the next
//                                           one: no multiprocessor waits long for the slowest
//   less, where there is less               one wave of blocks that share all of it equally, and
//                                           few of them where there is little
//   loads that say "once"                   the caches need not keep what is read once
//   counter back at 0                       ready for the next call, with no memset in front of it
//
// Predict: at 4.69 TB/s (an H200, 2026-11-21) 1 GiB takes 229 us, and 256 KiB 0.06 us. How far
// above these floors is one launch at 2^28 elements, and at 2^16?
#include "last_block.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 8;              // per thread, in flight together
constexpr int kPerMultiprocessor = 2;  // blocks, at a time
constexpr int kTile = 256 << 10;       // bytes per block, at most

// `tile`: packs per block.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads, kPerMultiprocessor)
    reduce(Packs<T> x, wb::i64 tile, double divisor, float* of_block, unsigned* arrived,
           float* result) {
  const wb::i64 begin = blockIdx.x * tile, end = min(begin + tile, x.count);
  Accumulators<Op, T> sums;
  for_packs<kLoads, T>(
      begin + threadIdx.x, end, kThreads, [&](wb::i64 i) { return Pack<T>::once(x.pack + i); },
      [&](const Pack<T>& pack) { sums.take(pack); });
  float value = block_reduce<Op, kThreads>(with_edge<Op>(x, sums.result()));
  if (gridDim.x > 1) {
    __shared__ bool last;
    if (threadIdx.x < kWarp) {
      if (threadIdx.x == 0) of_block[blockIdx.x] = value;
      const bool is_last = is_last_block(arrived);
      if (threadIdx.x == 0) last = is_last;
    }
    __syncthreads();
    if (!last) return;
    value = Op::kNothing;
#pragma unroll 8
    for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads)
      value = Op::of(value, __ldcg(of_block + block));  // from L2, where the others' stores are
    value = block_reduce<Op, kThreads>(value);
  }
  if (threadIdx.x == 0) *result = quotient(value, divisor);
}

// Packs per block: equal shares of one wave of blocks, or a tile where these would be larger.
template <class T> wb::i64 tile_of(const Packs<T>& x, unsigned wave) {
  const wb::i64 few = few_blocks<kThreads, kLoads, kPerMultiprocessor>(x.count, wave);
  const wb::i64 rounds = (x.count + few * kThreads - 1) / (few * kThreads);  // of loads per thread
  return std::clamp<wb::i64>(rounds * kThreads, kThreads, kTile / sizeof(Pack<T>));
}

auto make(const Sum::Args& p) {
  std::function<void(cudaStream_t)> launch;
  with_op_and_type(p, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    const Packs<T> x = packs<T>(p.x, p.n);
    const auto kernel = reduce<Op, T>;
    const wb::i64 tile = tile_of(x, wave(kernel, kThreads));
    const unsigned grid = std::max(blocks(x.count, tile), 1u);
    launch = [=, scratch = make_scratch(grid)](cudaStream_t stream) {
      kernel<<<grid, kThreads, 0, stream>>>(x, tile, p.divisor(), scratch.of_block.get(),
                                            scratch.arrived.get(), p.result);
      WB_CHECK(cudaGetLastError());
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Sum, optimized, make);
