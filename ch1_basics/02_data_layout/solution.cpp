// The bug hunt, solved. All cores added up in one block, each on top of what another had just
// stored: a *race*. A variable made inside the parallel loop belongs to one thread, and a block on
// the stack costs nothing to make. (The same in set-up: a block per thread, chosen by
// omp_get_thread_num().)
#include <algorithm>

#include "data_layout.h"
#include "wb/cpu.h"

namespace {

constexpr int kBlock = 512;  // floats

void run(const DataLayout::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 first = 0; first < p.n; first += kBlock) {
    const int count = static_cast<int>(std::min<wb::i64>(kBlock, p.n - first));
    const float *vx = p.vx + first, *vy = p.vy + first, *vz = p.vz + first;
    const float* mass = p.mass + first;
    float sum[kBlock];
    for (int i = 0; i < count; ++i) sum[i] = vx[i] * vx[i];
    for (int i = 0; i < count; ++i) sum[i] += vy[i] * vy[i];
    for (int i = 0; i < count; ++i) sum[i] += vz[i] * vz[i];
    for (int i = 0; i < count; ++i) p.energy[first + i] = 0.5f * mass[i] * sum[i];
  }
}

}  // namespace

WB_CPU(DataLayout, solution, run);
