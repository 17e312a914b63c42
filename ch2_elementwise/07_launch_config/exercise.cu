// Exercise: one launch for all, the largest: 1024 threads per block and 32 items per thread. With
// many elements it does well enough; with few of them most multiprocessors have nothing to do.
//
// TODO: choose the block and the float4 per thread (quads: 1, 2, 4 or 8) to suit n.
// Goal: 0.9 times optimized at elements=65536,block=1024,items=32
// Goal: 0.9 times optimized at elements=1048576,block=128,items=4
// Goal: 0.9 times optimized at elements=67108864,block=128,items=4
// Hints are in README.md.
#include "launch.cuh"

namespace {

struct Choice {
  unsigned block;
  int quads;
};

Choice choose([[maybe_unused]] wb::i64 n, [[maybe_unused]] int multiprocessors) {
  return {.block = 1024, .quads = 8};
}

auto make(const LaunchConfig::Args& p) {
  return [p, choice = choose(p.n, multiprocessors())](cudaStream_t stream) {
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

WB_CUDA(LaunchConfig, exercise, make);
