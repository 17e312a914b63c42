// The shape, chosen on paper:
// - 96 rows in blocks of 48 are work for two cores, in blocks of 16 for six. (The default's block
// of
//   96 is one core's, whatever the others do.)
// - 8 x 2 sums: 16 multiply-adds for 10 loads, and twice the eight that are under way at once. With
//   the 16 registers of AVX2 6 x 2.
// - All of k and n in one block: C is written once.
#include <algorithm>
#include <thread>

#include "problem_cpu.h"

namespace {

constexpr int kRows = tiles::kLanes == 16 ? 8 : 6, kVectors = 2;

auto make(const GemmTiles::Args& p) {
  const int cores = std::max(1u, std::thread::hardware_concurrency());
  const int block = std::max(16, 96 / cores);
  return tiles::gemm<kRows, kVectors>(tiles::product(p), block, 1024, 4096);
}

}  // namespace

WB_CPU(GemmTiles, solution, make);
