// Changes against baseline: a struct of arrays. The loop is the same, except for the addresses that
// it reads.
//
// Predict: 64 bytes read per particle become 16. Why is the speedup less than 4? (Count what is
// written, and what an ordinary store reads.)
#include "data_layout.h"
#include "wb/cpu.h"

namespace {

void run(const DataLayout::Args& p) {
#pragma omp parallel for simd schedule(static)
  for (wb::i64 i = 0; i < p.n; ++i)
    p.energy[i] = kinetic_energy(p.vx[i], p.vy[i], p.vz[i], p.mass[i]);
}

}  // namespace

WB_CPU(DataLayout, step1_struct_of_arrays, run);
