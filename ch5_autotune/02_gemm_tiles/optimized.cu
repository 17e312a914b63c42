// The numbers that an engineer writes down after an afternoon of trying: three shapes. The table
// takes the largest tile that leaves work for three quarters of the multiprocessors, else small
// tiles with more of k in flight. (From one search on an H200, 2026-11-25.)
//
// Predict: where does a search beat this? The table does not count rounds.
#include "launch.cuh"

namespace {

auto make(const GemmTiles::Args& p) {
  const auto enough = [&](int bm, int bn) {
    return 4 * tiles::count(p, bm, bn) >= 3 * hopper::multiprocessors();
  };
  // For Hopper's kernel, and for the one by mma.sync. No search chose the shapes of the second.
  if (enough(128, 256))
    return tiles::launch(p, "BM=128 BN=256 BK=64 STAGES=4 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16",
                         "BM=128 BN=256 BK=32 STAGES=4 WARP_ROWS=64 BLOCKS=1 GROUP=16");
  if (enough(128, 128))
    return tiles::launch(p, "BM=128 BN=128 BK=64 STAGES=6 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16",
                         "BM=128 BN=128 BK=32 STAGES=3 WARP_ROWS=64 BLOCKS=2 GROUP=16");
  return tiles::launch(p, "BM=64 BN=64 BK=128 STAGES=6 CONSUMERS=1 BLOCKS=1 BOXES=2 GROUP=16",
                       "BM=64 BN=64 BK=64 STAGES=3 WARP_ROWS=32 BLOCKS=2 GROUP=16");
}

}  // namespace

WB_CUDA(GemmTiles, optimized, make);
WB_NEEDS("8.0");
