// Changes against step 3: the launch follows from n and the device, whatever the case says.
//
//   1. Every multiprocessor gets work: with few elements, a float4 a thread, in small blocks.
//   2. Enough bytes on their way: once the threads of a whole wave have a float4 each, a thread
//      takes two, then four.
//   3. Small blocks leave and come one by one. A large one frees its place only when its last warp
//      has finished, and the tail of the launch is as long as a block.
//
// Predict: how far from the best point of step 2 is it at 64 Mi elements, and how far at 64 Ki?
#include "launch.cuh"

namespace {

auto make(const LaunchConfig::Args& p) {
  const wb::i64 wave = wb::i64{multiprocessors()} *
                       device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor);  // threads
  const wb::i64 quads_a_thread = p.n / 4 / wave;  // if one wave were to do it all
  const unsigned block = quads_a_thread < 1 ? 128 : 256;
  return [p, quads_a_thread, block](cudaStream_t stream) {
    if (p.n == 0) return;
    with_items(std::min<wb::i64>(quads_a_thread, 4), [&](auto quads) {
      scale_quads<quads()>
          <<<tiles(p.n, wb::i64{4 * quads()} * block), block, 0, stream>>>(p.n, p.a, p.x, p.y);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(LaunchConfig, optimized, make);
