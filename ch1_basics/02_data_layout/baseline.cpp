// An array of structs, as an object-oriented program keeps its particles. All cores, here and in
// every variant.
//
// Predict: a particle is one cache line of 64 bytes, of which 16 are used. And what does the
// compiler do with floats that are 64 bytes apart?
#include "data_layout.h"
#include "wb/cpu.h"

namespace {

void run(const DataLayout::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 i = 0; i < p.n; ++i) {
    const Particle& one = p.particles[i];
    p.energy[i] = kinetic_energy(one.vx, one.vy, one.vz, one.mass);
  }
}

}  // namespace

WB_CPU(DataLayout, baseline, run);
