// The shape, chosen on paper:
// - 8 x 2 sums: 16 multiply-adds for 10 loads, and twice the eight that are under way at once. With
//   16 registers 6 x 2.
// - Blocks of 64 rows: 16 of them, which any number of cores up to 8 shares well. One of 384 leaves
//   a third for the last core.
// - All of k in one block: C is written once, and never read.
#include "kernel.h"
#include "problem_cpu.h"

namespace {

constexpr int kRows = tiles::kLanes == 16 ? 8 : 6, kVectors = 2;

auto make(const GemmTiles::Args& p) {
  return tiles::gemm<kRows, kVectors>(tiles::product(p), 64, 1024, 1024);
}

}  // namespace

WB_CPU(GemmTiles, solution, make);
