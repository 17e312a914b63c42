// The numbers that an engineer writes down after an afternoon of trying: a smaller tile, and blocks
// of 48 if there are few rows, so that two cores have one each. (From one machine with two cores
// and AVX-512, 2026-11-25.)
//
// Predict: what does this get wrong on a machine with 16 cores?
#include "kernel.h"
#include "problem_cpu.h"

namespace {

auto make(const GemmTiles::Args& p) {
  constexpr int kRows = tiles::kLanes == 16 ? 8 : 6;
  return tiles::gemm<kRows, 2>(tiles::product(p), p.m < 512 ? 48 : 96, 512, 4096);
}

}  // namespace

WB_CPU(GemmTiles, optimized, make);
