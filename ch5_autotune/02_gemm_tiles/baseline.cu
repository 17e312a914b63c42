// The kernel of 06_gemm_leaky_relu, with the tile that chapter 4 chose for large matrices. NVRTC
// compiles candidate.cu for it, with the values as macros.
//
// Predict: 3072 x 3072 are 24 x 12 tiles of 128 x 256. How many rounds do they take on an H200's
// 132 multiprocessors, and which part of the GPU works in the last round? And at 1024 x 1024?
#include "launch.cuh"

namespace {

auto make(const GemmTiles::Args& p) {
  return tiles::launch(p, "BM=128 BN=256 BK=64 STAGES=4 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16",
                       "BM=128 BN=256 BK=32 STAGES=4 WARP_ROWS=64 BLOCKS=1 GROUP=16");
}

}  // namespace

WB_CUDA(GemmTiles, baseline, make);
WB_NEEDS("8.0");
