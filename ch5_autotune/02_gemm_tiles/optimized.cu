// What an engineer writes down after an afternoon of trying: three shapes, by how many tiles there
// are. A tile as large as leaves work for three quarters of the multiprocessors; else small ones,
// with more of k under way. (From one search on an H200, 2026-11-25.)
//
// Predict: where does a search beat this? The table knows nothing of what the last round leaves
// idle.
#include "launch.cuh"

namespace {

struct Large {
  static constexpr tiles::Shape shape = tiles::kDefault;
};
struct Medium {
  static constexpr tiles::Shape shape = {
      .bm = 128, .bn = 128, .bk = 64, .stages = 6, .consumers = 2, .blocks = 1, .boxes = 2};
};
struct Small {
  static constexpr tiles::Shape shape = {
      .bm = 64, .bn = 64, .bk = 128, .stages = 6, .consumers = 1, .blocks = 1, .boxes = 2};
};

template <class Chosen> bool enough(const GemmTiles::Args& p) {
  return 4 * tiles::count(p, Chosen::shape) >= 3 * hopper::multiprocessors();
}

auto make(const GemmTiles::Args& p) {
  const auto gemm = enough<Large>(p)    ? tiles::gemm_of<Large>
                    : enough<Medium>(p) ? tiles::gemm_of<Medium>
                                        : tiles::gemm_of<Small>;
  return gemm(p, tiles::kDefaultGroup);
}

}  // namespace

WB_CUDA(GemmTiles, optimized, make);
