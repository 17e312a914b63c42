// Changes against step 3: the launch follows from the number of elements and the device, whatever
// the case says.
//
//   1. A multiprocessor gets one block at most, as long as a block can do its share: all blocks
//      start at once, and the launch ends with the slowest. What grows with n is first the number
//      of float4 per thread (up to four), then the block (512 threads), then that number again
//      (eight). Blocks have at least 256 threads, so below 132 Ki elements some multiprocessors of
//      an H200 get none; and a thread takes a power of two, so above that some may get none, too.
//   2. With more elements, enough bytes in flight: four float4 per thread, in smaller blocks. A
//      block frees its warp slots only when its last warp has finished, and a launch's tail is as
//      long as a block.
//   3. But not where there are many waves. There is always a next block to start, and its loads
//      overlap with those before it without help. The smallest tiles are the best again.
//
// Predict: how far from the best point of step 2 is it at 64 Mi elements, and how far at 64 Ki?
#include <bit>

#include "launch.cuh"

namespace {

struct Choice {
  unsigned block;
  int quads;  // float4 per thread
};

// Between 4 waves of float4, where four per thread are better than one, and 16, where one is (an
// H200, the sweep over n: solution against step 2 at 4 Mi and 16 Mi).
constexpr int kManyWaves = 12;

constexpr wb::i64 quotient_up(wb::i64 a, wb::i64 b) { return (a + b - 1) / b; }

Choice choose(wb::i64 n) {
  const wb::i64 quads = quotient_up(n, 4), share = quotient_up(quads, multiprocessors());
  const unsigned block = share <= 4 * 256 ? 256 : 512;
  if (share <= 8 * block)  // a block does it
    return {block, static_cast<int>(std::bit_ceil(std::size_t(quotient_up(share, block))))};
  const wb::i64 wave = wb::i64{multiprocessors()} *
                       device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);  // threads
  return {256, quotient_up(quads, wave) > kManyWaves ? 1 : 4};
}

auto make(const LaunchConfig::Args& p) {
  return [p, choice = choose(p.n)](cudaStream_t stream) {
    if (p.n == 0) return;
    with_items(choice.quads, [&](auto quads) {
      scale_quads<quads()>
          <<<tiles(p.n, wb::i64{4 * quads()} * choice.block), choice.block, 0, stream>>>(p.n, p.a,
                                                                                         p.x, p.y);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(LaunchConfig, optimized, make);
