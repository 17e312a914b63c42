// Changes against step 4: one launch. The block that is done last adds up the sums of all blocks,
// in the order of their numbers (is_last_block, ../shared/ticket.cuh). Another block may be last in
// the next run, but it computes the same: same input, same bits.
//
//   512 threads, 8 loads of 16 bytes each   64 KiB in flight per block, two blocks. An H200 wants
//                                           tens of KiB per multiprocessor (Little's law): one
//                                           block has them while the other one adds
//   a tile per block                        256 KiB side by side. Where there are more tiles than
//                                           the device holds blocks, a multiprocessor whose block
//                                           is done gets the next one: none waits long
//   smaller arrays                          one wave of blocks, which share all of it equally, and
//                                           fewer blocks for very small ones
//
// Predict: at 4.69 TB/s (an H200, 2026-11-21) 1 GiB takes 229 us, and 256 KiB 0.06 us. How far
// above these floors is one launch at 2^28 elements, and at 2^16?
#include "../shared/pack.cuh"
#include "../shared/ticket.cuh"
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 8;              // per thread, in flight together
constexpr int kPerMultiprocessor = 2;  // blocks, at a time
constexpr int kTile = 256 << 10;       // bytes per block, at most

// `tile`: packs per block.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads, kPerMultiprocessor)
    reduce(Packs<T> x, i64 tile, double divisor, float* left, unsigned* ticket, float* result) {
  const i64 begin = blockIdx.x * tile;
  float value =
      thread_reduce<kLoads, Op>(x.pack, begin + threadIdx.x, min(begin + tile, x.count), kThreads);
  if (blockIdx.x == 0) value = Op::combine(value, x.template edge<Op>(threadIdx.x));
  value = block_reduce<Op>(value);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) left[blockIdx.x] = value;
    if (!is_last_block(ticket, gridDim.x)) return;
    value = Op::identity();
#pragma unroll 8
    for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads)
      value = Op::combine(value, __ldcg(left + block));  // from L2, where the others' stores are
    value = block_reduce<Op>(value);
  }
  if (threadIdx.x == 0) *result = quotient(value, divisor);
}

// Packs per block. Where there is little, few blocks, for each is one more to wait for: first one
// on each multiprocessor, then kLoads packs for each thread, then a wave. They take equal shares,
// or a tile where these would be larger.
i64 tile_of(i64 packs, int width, unsigned wave) {
  const unsigned one_each = std::min<unsigned>(blocks(packs, kThreads), multiprocessors());
  const i64 grid = std::clamp(std::max(one_each, blocks(packs, kThreads * kLoads)), 1u, wave);
  const i64 rounds = (packs + grid * kThreads - 1) / (grid * kThreads);  // of loads per thread
  return std::clamp<i64>(rounds * kThreads, kThreads, kTile / width);
}

auto make(const Sum::Args& p) {
  std::function<void(cudaStream_t)> launch;
  with_op_and_type(p, [&](auto op, auto zero) {
    using Op = decltype(op);
    using T = decltype(zero);
    const Packs<T> x(p.x, p.n);
    const auto kernel = reduce<Op, T>;
    const i64 tile = tile_of(x.count, sizeof(Pack<T>), wave(kernel, kThreads));
    const unsigned grid = std::max(blocks(x.count, tile), 1u);
    launch = [=, scratch = make_scratch(grid, 1)](cudaStream_t stream) {
      kernel<<<grid, kThreads, 0, stream>>>(x, tile, p.divisor(), scratch.left.get(),
                                            scratch.tickets.get(), p.result);
      WB_CHECK(cudaGetLastError());
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Sum, optimized, make);
