// Changes against baseline, whose one chain keeps one multiply-add of eight on its way: four rows
// and two vectors per tile. Eight chains of sums go on side by side, and a value that is loaded is
// used two or four times.
//
// Predict: two vectors of B and four values of A are loaded for eight multiply-adds, and a core
// loads two per cycle. What is the limit now: chains, loads or multiply-adds? Then look at the loop
// (README.md): does it load six times?
#include "walk.h"
#include "wb/cpu.h"

namespace {

auto make(const RegisterPressure::Args& p) { return make_product(p, kTile<4, 2>); }

}  // namespace

WB_CPU(RegisterPressure, step1_small_tile, make);
