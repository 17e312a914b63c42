// Short rows without gaps that don't fill whole lanes with loads of 16 bytes, or don't begin at
// multiples of 16 bytes: a block copies all of its rows to shared memory as if they were one
// (run.cuh). There a row may begin anywhere, so it gets as many lanes as it keeps busy, for an
// element or a word at a time. Results take the place of the row, and all go to memory together.
#pragma once

#include "../../shared/units.cuh"
#include "passes.cuh"
#include "plan.h"

namespace {

// A block has `own` rows; `lanes`, a power of two, take a row.
template <int kUnit, class Op, class T>
__global__ void __launch_bounds__(kStageThreads, kStageBlocks)
    by_stage(Op, Rows<T> r, int own, int lanes) {
  using Unit = typename Units<T, kUnit>::Unit;
  __shared__ uint4 memory[1 + Op::kBackward][kStageBytes / kLoadBytes + 1];
  T* const x = reinterpret_cast<T*>(memory[0]);
  T* const dy = reinterpret_cast<T*>(memory[Op::kBackward]);
  const i64 first = i64{blockIdx.x} * own, at = first * r.columns;
  const int rows = static_cast<int>(min(i64{own}, r.rows - first));
  const int columns = static_cast<int>(r.columns);
  const Run<T> run(r.x + at, rows * columns);
  run.ask(x, r.x + at);
  if (Op::kBackward) run.ask(dy, r.dy + at);
  run.wait();
  const Units<T, kUnit> units(columns, lanes);
  float absent[kUnit];
#pragma unroll
  for (float& v : absent) v = Op::kAbsent;
  const Unit none = Unit::of(absent);
  for (int turn = 0; turn < rows; turn += units.teams) {
    const int row = turn + units.team, count = row < rows ? units.count : 0;
    const int begin = run.begin + row * columns;
    const auto load = [&](const T* from, int i, int column) {
      return i < count ? units.load(from + begin + column) : none;
    };
    const auto store = [&](int i, int column, const float(&value)[kUnit]) {
      if (i < count) Unit::of(value).store(x + begin + column);
    };
    if constexpr (Op::kBackward) {
      Unit of_y[kStageUnits], of_dy[kStageUnits];
      float y[kUnit], gradient[kUnit], sum = 0;
      units.each([&](int i, int column) {
        of_y[i] = load(x, i, column), of_dy[i] = load(dy, i, column);
        of_y[i].to_floats(y), of_dy[i].to_floats(gradient);
        sum += Op::part(y, gradient);
      });
      sum = over_warp(sum, lanes);
      units.each([&](int i, int column) {
        of_y[i].to_floats(y), of_dy[i].to_floats(gradient);
        Op::finish(y, gradient, 0, sum);
        store(i, column, y);
      });
    } else {
      float value[kStageUnits][kUnit];
      Part own = kNothing;
      units.each([&](int i, int column) {
        load(x, i, column).to_floats(value[i]);
#pragma unroll
        for (const float v : value[i]) own.max = fmaxf(own.max, v);
      });
      units.each([&](int i, int) {
#pragma unroll
        for (float& v : value[i]) own.sum += v = scale(v, own.max);
      });
      const Part all = over_warp(own, lanes);
      const float factor = scale(own.max, all.max) / all.sum;
      units.each([&](int i, int column) {
#pragma unroll
        for (float& v : value[i]) v *= factor;
        store(i, column, value[i]);
      });
    }
  }
  __syncthreads();
  run.store(x, r.out + at);
}

}  // namespace
