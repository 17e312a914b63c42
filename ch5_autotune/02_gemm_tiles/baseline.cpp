// Five loops around a micro-kernel, with blocks that suit a large product.
//
// Predict: with 96 rows, how many blocks of 96 do your cores share?
#include "kernel.h"
#include "problem_cpu.h"

namespace {

auto make(const GemmTiles::Args& p) {
  constexpr int kRows = tiles::kLanes == 16 ? 12 : 6;  // as chapter 4's kernel, with two vectors
  return tiles::gemm<kRows, 2>(tiles::product(p), 96, 512, 4096);
}

}  // namespace

WB_CPU(GemmTiles, baseline, make);
