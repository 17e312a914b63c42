// The kernel of 05_gemm_leaky_relu, with the tile that chapter 4 chose for large matrices.
//
// Predict: 3072 x 3072 are 24 x 12 tiles of 128 x 256. How often does an H200's 132 multiprocessors
// go round, and what part of the last round works? And at 1024 x 1024?
#include "launch.cuh"

namespace {

struct Default {
  static constexpr tiles::Shape shape = tiles::kDefault;
};

auto make(const GemmTiles::Args& p) { return tiles::gemm_of<Default>(p, tiles::kDefaultGroup); }

}  // namespace

WB_CUDA(GemmTiles, baseline, make);
