// Changes against step 1: as many rows per tile as the case says, from 1 to 32. There are 32
// registers with AVX-512, and 16 with AVX2; sums for which there is none are on the stack, and are
// loaded and stored for each multiply-add. The compiler does that without a message.
//
// Predict: rows x 2 sums, two vectors of B, a value of A. Which number of rows is the last that
// fits? Is it the fastest? How much is lost with one row more, and with twice as many?
#include "walk.h"
#include "wb/cpu.h"

namespace {

auto make(const RegisterPressure::Args& p) { return make_product(p, tile_of(p.rows)); }

}  // namespace

WB_CPU(RegisterPressure, step2_tile, make);
WB_CASE_NOTE(RegisterPressure,
             [](const RegisterPressure::Args& p) { return demand(p.rows, kRegisters); });
