// Short rows one behind the other that don't fill whole lanes with loads of 16 bytes, or begin
// between: a block copies all of its rows to shared memory as if they were one (run.cuh). There a
// row may begin anywhere, so as many lanes take it as keep busy, an element or a word at a time.
// What becomes of the row goes back to its place, and all together to memory.
#pragma once

#include "../../shared/pack.cuh"
#include "../../shared/run.cuh"
#include "passes.cuh"
#include "plan.h"

namespace {

// f(i, place) for the first `count` of a lane's units and their places, the first one at `place`.
// They are in registers, so i must be known when this is compiled; the count is the same for the
// whole block. It takes one unit more where the count is odd.
template <class F> __device__ void each_unit(int count, int place, int step, F f) {
#pragma unroll
  for (int i = 0; i < kStageUnits; i += 2)
    if (i < count) {
      f(i, place), f(i + 1, place + step);
      place += 2 * step;
    }
}

// A block has `own` rows; `lanes`, a power of two, take a row.
template <int kUnit, class Op, class T>
__global__ void __launch_bounds__(kStageThreads, kStageBlocks)
    by_stage(Op, Rows<T> r, int own, int lanes) {
  using Unit = Pack<T, kUnit>;
  __shared__ uint4 memory[1 + Op::kBackward][kStageBytes / kLoadBytes + 1];
  T* const x = reinterpret_cast<T*>(memory[0]);
  T* const dy = reinterpret_cast<T*>(memory[Op::kBackward]);
  const i64 first = i64{blockIdx.x} * own, at = first * r.columns;
  const int rows = static_cast<int>(min(i64{own}, r.rows - first));
  const int columns = static_cast<int>(r.columns), units = columns / kUnit;
  const Run<T> run(r.x + at, rows * columns);
  run.ask(x, r.x + at);
  if (Op::kBackward) run.ask(dy, r.dy + at);
  run.wait();
  const int thread = threadIdx.x, bits = 31 - __clz(lanes), lane = thread & (lanes - 1);
  const int most = (units + lanes - 1) >> bits, mine = (units - lane + lanes - 1) >> bits;
  float absent[kUnit];
#pragma unroll
  for (float& v : absent) v = Op::kAbsent;
  const Unit none = Unit::of(absent);
  for (int turn = 0; turn < rows; turn += kStageThreads >> bits) {
    const int row = turn + (thread >> bits), count = row < rows ? mine : 0;
    const int begin = run.begin + row * columns + lane * kUnit, step = lanes * kUnit;
    const auto each = [&](auto f) { each_unit(most, begin, step, f); };
    const auto load = [&](const T* from, int i, int at) {
      Unit unit = none;
      if (i < count) unit.words = *reinterpret_cast<const typename Unit::Words*>(from + at);
      return unit;
    };
    const auto store = [&](int i, int at, const float(&value)[kUnit]) {
      if (i < count) Unit::of(value).store(x + at);
    };
    if constexpr (Op::kBackward) {
      Unit of_y[kStageUnits], of_dy[kStageUnits];
      float y[kUnit], gradient[kUnit], sum = 0;
      each([&](int i, int at) {
        of_y[i] = load(x, i, at), of_dy[i] = load(dy, i, at);
        of_y[i].to_floats(y), of_dy[i].to_floats(gradient);
        sum += Op::part(y, gradient);
      });
      sum = over_warp(sum, lanes);
      each([&](int i, int at) {
        of_y[i].to_floats(y), of_dy[i].to_floats(gradient);
        Op::finish(y, gradient, 0, sum);
        store(i, at, y);
      });
    } else {
      float value[kStageUnits][kUnit];
      Part own = kNothing;
      each([&](int i, int at) {
        load(x, i, at).to_floats(value[i]);
#pragma unroll
        for (const float v : value[i]) own.max = fmaxf(own.max, v);
      });
      each([&](int i, int) {
#pragma unroll
        for (float& v : value[i]) own.sum += v = scale(v, own.max);
      });
      const Part all = over_warp(own, lanes);
      const float factor = scale(own.max, all.max) / all.sum;
      each([&](int i, int at) {
#pragma unroll
        for (float& v : value[i]) v *= factor;
        store(i, at, value[i]);
      });
    }
  }
  __syncthreads();
  run.store(x, r.out + at);
}

}  // namespace
