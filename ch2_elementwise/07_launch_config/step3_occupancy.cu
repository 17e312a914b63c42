// Changes against step 2: how large a block is follows from the runtime's occupancy calculator, not
// from the case: the block with which most warps are resident on a multiprocessor, and of those the
// largest. It looks at registers and shared memory. It sees neither n nor the memory.
//
// Predict: is the block that fills the multiprocessor the fastest? At every n?
#include "launch.cuh"

namespace {

auto make(const LaunchConfig::Args& p) {
  const wb::i64 most_quads = std::min<wb::i64>(p.items / 4, 8);
  int least_blocks = 0, block = 0;
  with_items(most_quads, [&](auto quads) {
    WB_CHECK(cudaOccupancyMaxPotentialBlockSize(&least_blocks, &block, scale_quads<quads()>));
  });
  return [p, most_quads, block, on = multiprocessors()](cudaStream_t stream) {
    if (p.n == 0) return;
    with_items(most_quads, [&](auto quads) {
      scale_quads<quads()>
          <<<blocks(p, wb::i64{4 * quads()} * block, on), block, 0, stream>>>(p.n, p.a, p.x, p.y);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(LaunchConfig, step3_occupancy, make);
