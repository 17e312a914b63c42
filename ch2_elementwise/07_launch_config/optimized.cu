// Changes against step 3: the launch follows from n and the device, whatever the case says.
//
//   1. Every multiprocessor gets work: with few elements, a float4 a thread, in small blocks.
//   2. Enough bytes on their way: once the threads of a whole wave have a float4 each, a thread
//      takes two, then four.
//   3. But not where waves are many. There is always a next block to start, and its loads overlap
//      with those before it by themselves; then the smallest tiles are the best again.
//   4. Small blocks leave and come one by one. A large one frees its place only when its last warp
//      has finished, and the tail of the launch is as long as a block.
//
// Predict: how far from the best point of step 2 is it at 64 Mi elements, and how far at 64 Ki?
#include "launch.cuh"

namespace {

// Between 4 waves of float4, where four a thread are better than one, and 16, where one is (an
// H200, the sweep over n: solution against step 2 at 4 Mi and 16 Mi).
constexpr int kManyWaves = 12;

auto make(const LaunchConfig::Args& p) {
  const wb::i64 wave = wb::i64{multiprocessors()} *
                       device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);  // threads
  const wb::i64 quads = (p.n + 3) / 4;
  const wb::i64 waves = (quads + wave - 1) / wave;  // of threads with a float4 each
  const unsigned block = waves <= 1 ? 128 : 256;
  const wb::i64 takes = waves > kManyWaves ? 1 : std::min<wb::i64>(waves, 4);
  return [p, takes, block](cudaStream_t stream) {
    if (p.n == 0) return;
    with_items(takes, [&](auto quads) {
      scale_quads<quads()>
          <<<tiles(p.n, wb::i64{4 * quads()} * block), block, 0, stream>>>(p.n, p.a, p.x, p.y);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(LaunchConfig, optimized, make);
