// The shape, chosen on paper:
// - 8 x 2 sums make 16 multiply-adds for 10 loads, twice the eight that a core keeps in flight.
// With
//   16 registers it is 6 x 2.
// - Blocks of 64 rows: there are 16, which up to 8 cores share well.
// - All of k is one block, so C is written once, and never read.
#include "kernel.h"
#include "problem_cpu.h"

namespace {

constexpr int kRows = tiles::kLanes == 16 ? 8 : 6, kVectors = 2;

auto make(const GemmTiles::Args& p) {
  return tiles::gemm<kRows, kVectors>(tiles::product(p), 64, 1024, 1024);
}

}  // namespace

WB_CPU(GemmTiles, solution, make);
