// Exercise: a struct of arrays invites whole-array steps, the way one writes them with NumPy:
// square, add, add, scale. Every line of this program is simple and walks straight through memory.
// The answer is right.
//
// TODO: no array should pass between memory and the cores more often than the problem needs.
//
// Goal: 0.8 times step1_struct_of_arrays at particles=2097152
#include "data_layout.h"
#include "wb/cpu.h"

namespace {

void run(const DataLayout::Args& p) {
#pragma omp parallel for simd schedule(static)
  for (wb::i64 i = 0; i < p.n; ++i) p.energy[i] = p.vx[i] * p.vx[i];
#pragma omp parallel for simd schedule(static)
  for (wb::i64 i = 0; i < p.n; ++i) p.energy[i] += p.vy[i] * p.vy[i];
#pragma omp parallel for simd schedule(static)
  for (wb::i64 i = 0; i < p.n; ++i) p.energy[i] += p.vz[i] * p.vz[i];
#pragma omp parallel for simd schedule(static)
  for (wb::i64 i = 0; i < p.n; ++i) p.energy[i] *= 0.5f * p.mass[i];
}

}  // namespace

WB_CPU(DataLayout, exercise, run);
