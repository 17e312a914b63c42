// Changes against step 1: four items are one load of 16 bytes. The bytes in flight are the same,
// in a quarter of the instructions. (One item or two are taken as four.)
//
// Predict: with the same items and the same block, is it faster than step 1? What does that say
// about what step 1 was waiting for?
#include "launch.cuh"

namespace {

auto make(const LaunchConfig::Args& p) {
  return [p, on = multiprocessors()](cudaStream_t stream) {
    if (p.n == 0) return;
    with_items(std::min<wb::i64>(p.items / 4, 8), [&](auto quads) {
      scale_quads<quads()>
          <<<blocks(p, wb::i64{4 * quads()} * threads(p), on), threads(p), 0, stream>>>(p.n, p.a,
                                                                                        p.x, p.y);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(LaunchConfig, step2_wide, make);
