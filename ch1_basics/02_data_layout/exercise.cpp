// Bug hunt: whole-array steps, the way one writes them with NumPy, but on blocks that fit in L1, so
// each value comes from memory once. The block of sums is allocated in set-up, not in each launch.
// It is fast, and wrong:
//
//   ./workbook test 02_data_layout/exercise     values of `energy` belong to other particles
//
// They are other values each time, mostly in the large cases; with one thread all are right.
//
// TODO: find out who else writes where a core adds up.
// Goal: right at every size
// Hints are in README.md.
#include <algorithm>
#include <vector>

#include "data_layout.h"
#include "wb/cpu.h"

namespace {

constexpr int kBlock = 512;  // floats

auto make(const DataLayout::Args& p) {
  return [p, sum = std::vector<float>(kBlock)]() mutable {
#pragma omp parallel for schedule(static)
    for (wb::i64 first = 0; first < p.n; first += kBlock) {
      const int count = static_cast<int>(std::min<wb::i64>(kBlock, p.n - first));
      const float *vx = p.vx + first, *vy = p.vy + first, *vz = p.vz + first;
      const float* mass = p.mass + first;
      for (int i = 0; i < count; ++i) sum[i] = vx[i] * vx[i];
      for (int i = 0; i < count; ++i) sum[i] += vy[i] * vy[i];
      for (int i = 0; i < count; ++i) sum[i] += vz[i] * vz[i];
      for (int i = 0; i < count; ++i) p.energy[first + i] = 0.5f * mass[i] * sum[i];
    }
  };
}

}  // namespace

WB_CPU(DataLayout, exercise, make);
