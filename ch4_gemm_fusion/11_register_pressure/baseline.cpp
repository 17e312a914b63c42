// A tile of one vector: a micro-kernel that makes 16 neighbours of C (8 with AVX2) and keeps their
// sums in one register. Packed operands, all cores: nothing but the tile is small.
//
// Predict: a multiply-add takes four cycles until its result can be used, and a core of today
// begins two in each cycle. How many of the eight that can be on their way is one chain of sums?
#include "walk.h"
#include "wb/cpu.h"

namespace {

auto make(const RegisterPressure::Args& p) { return make_product(p, kTile<1, 1>); }

}  // namespace

WB_CPU(RegisterPressure, baseline, make);
