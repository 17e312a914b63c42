// The shape, chosen by counting. On 132 multiprocessors 256 tiles of 192 x 192 take two rounds of
// 36,864 sums: 73,728. 288 tiles of 128 x 256 take three rounds of 32,768: 98,304, a third more.
// 192 tiles of 256 x 192 take two rounds of 49,152. On 114 multiprocessors 192 x 192 takes three
// rounds, too, and no tile is better than the default. So the program counts, for the GPU that it
// runs on.
//
// With 192 x 192 each of three consumers has 64 rows, and each thread 96 sums, which fit into its
// 160 registers. A stage takes 48 KiB, so four fit, and one box for each consumer. A group of 16 is
// the whole height.
#include <climits>

#include "launch.cuh"

namespace {

struct Chosen {
  int bm, bn;
  const char* words;
};
constexpr Chosen kShapes[] = {
    {192, 192, "BM=192 BN=192 BK=64 STAGES=4 CONSUMERS=3 BLOCKS=1 BOXES=1 GROUP=16"},
    {128, 256, "BM=128 BN=256 BK=64 STAGES=4 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16"},
    {256, 192, "BM=256 BN=192 BK=64 STAGES=3 CONSUMERS=2 BLOCKS=1 BOXES=1 GROUP=16"},
    {128, 192, "BM=128 BN=192 BK=64 STAGES=5 CONSUMERS=2 BLOCKS=1 BOXES=1 GROUP=16"},
    {128, 128, "BM=128 BN=128 BK=64 STAGES=6 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16"}};

// Where there is no wgmma: two blocks on a multiprocessor, so that one multiplies while the other
// stores, and tiles as large as the registers of both allow. (Not measured.)
constexpr const char* kChosenMma = "BM=128 BN=128 BK=32 STAGES=3 WARP_ROWS=64 BLOCKS=2 GROUP=16";

auto make(const GemmTiles::Args& p) {
  const char* best = nullptr;
  for (wb::i64 least = LLONG_MAX; const Chosen& shape : kShapes) {
    const int all = hopper::multiprocessors();
    const wb::i64 rounds = (tiles::count(p, shape.bm, shape.bn) + all - 1) / all;
    const wb::i64 sums = rounds * shape.bm * shape.bn;
    if (sums < least) least = sums, best = shape.words;
  }
  return tiles::launch(p, best, kChosenMma);
}

}  // namespace

WB_CUDA(GemmTiles, solution, make);
WB_NEEDS("8.0");
