// Changes against step 2: compiled with -mno-avx512f (../CMakeLists.txt), as for a processor that
// only has AVX2. Vectors are half as long, and there are 16 instead of 32. (Without AVX-512:
// step 2.)
//
// Predict: where is the cliff now? Below it, how much slower is this than step 2? And how would 32
// registers of half the length do?
#include "walk.h"
#include "wb/cpu.h"

namespace {

constexpr int kLength = 8;  // floats per vector

auto make(const RegisterPressure::Args& p) { return make_product(p, tile_of<kLength>(p.rows)); }

}  // namespace

WB_CPU(RegisterPressure, step3_half_registers, make);
WB_CASE_NOTE(RegisterPressure, [](const RegisterPressure::Args& p) { return demand(p.rows, 16); });
