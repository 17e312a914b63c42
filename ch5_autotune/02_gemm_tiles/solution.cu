// The shape, chosen on paper. 3072 / 192 = 16, so there are 256 tiles of 192 x 192: for 132
// multiprocessors two rounds of 36,864 sums, 73,728. Of 128 x 256 there are 288 tiles, three rounds
// of 32,768: 98,304, a third more. Of 256 x 192 there are 192 tiles, two rounds of 49,152.
// Three consumers have 64 rows each, 96 sums per thread: fewer than their 160 registers. A stage
// takes 48 KiB, so four fit, and one box for each consumer. A group of 16 is the whole height.
#include "launch.cuh"

namespace {

constexpr const char* kChosen =
    "BM=192 BN=192 BK=64 STAGES=4 CONSUMERS=3 BLOCKS=1 BOXES=1 GROUP=16";

auto make(const GemmTiles::Args& p) { return tiles::launch(p, kChosen); }

}  // namespace

WB_CUDA(GemmTiles, solution, make);
