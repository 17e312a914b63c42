// Changes against step 2: the tile follows from what the core can do, whatever the case says. Two
// multiply-adds per cycle, four cycles each, are eight in flight; as sums are never ready in
// perfect turn, twice as many: 8 rows of two vectors. If they fit: with 16 registers 6 rows are
// all.
//
// Predict: 14 rows fit into 32 registers, too, and need fewer loads per multiply-add. Are they
// faster? What is the limit at 8 rows, loads or multiply-adds?
#include "walk.h"
#include "wb/cpu.h"

namespace {

constexpr int kRows = std::min(8, (kRegisters - 2 - 1) / 2);

auto make(const RegisterPressure::Args& p) { return make_product(p, tile_of(kRows)); }

}  // namespace

WB_CPU(RegisterPressure, optimized, make);
