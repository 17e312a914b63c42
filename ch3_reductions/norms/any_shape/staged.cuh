// Many short rows without gaps that would leave lanes of a warp without a load, or don't begin at
// multiples of 16 bytes: a block copies all of its rows to shared memory as if they were one
// (run.cuh). There a row may begin anywhere, so it gets as many lanes as it keeps busy, for an
// element or a word at a time. y takes the place of x, and all of it goes to memory together.
#pragma once

#include "../../shared/units.cuh"
#include "../norms.cuh"
#include "plan.h"

namespace {

// A block has `own` rows; `lanes`, a power of two, take a row. x and y have no gaps, and lie
// equally far after an address that 16 divides.
template <int kUnit, class T>
__global__ void __launch_bounds__(kStageThreads, kStageBlocks)
    by_stage(Norm<T> n, int own, int lanes) {
  using Unit = typename Units<T, kUnit>::Unit;
  __shared__ uint4 memory[kStageBytes / kLoadBytes + 1];
  T* const stage = reinterpret_cast<T*>(memory);
  const i64 first = i64{blockIdx.x} * own, at = first * n.columns;
  const int rows = static_cast<int>(min(i64{own}, n.rows - first));
  const int columns = static_cast<int>(n.columns);
  const Run<T> run(n.x + at, rows * columns);
  run.ask(stage, n.x + at);
  run.wait();
  const Units<T, kUnit> units(columns, lanes);
  for (int turn = 0; turn < rows; turn += units.teams) {
    const int row = turn + units.team, count = row < rows ? units.count : 0;
    T* const begin = stage + run.begin + row * columns;
    float value[kStageUnits][kUnit], mean = 0, squares = 0;
    units.each([&](int i, int column) {
      (i < count ? units.load(begin + column) : Unit{}).to_floats(value[i]);
#pragma unroll
      for (const float v : value[i]) mean += v;
    });
    mean = n.rms ? 0 : over_warp(mean, lanes) * n.share;
    units.each([&](int i, int) {
      if (i < count)
#pragma unroll
        for (const float v : value[i]) squares += (v - mean) * (v - mean);
    });
    const float rstd = rsqrtf(over_warp(squares, lanes) * n.share + NormRows::kEpsilon);
    units.each([&](int i, int column) {
      if (i >= count) return;
      float by[kUnit], plus[kUnit] = {};
      Unit::load(n.weight + column).to_floats(by);  // by way of L1, which all rows share
      if (n.bias) Unit::load(n.bias + column).to_floats(plus);
#pragma unroll
      for (int j = 0; j < kUnit; ++j) value[i][j] = n.y_of(value[i][j], mean, rstd, by[j], plus[j]);
      Unit::of(value[i]).store(begin + column);
    });
  }
  __syncthreads();
  run.store(stage, n.y + at);
}

}  // namespace
