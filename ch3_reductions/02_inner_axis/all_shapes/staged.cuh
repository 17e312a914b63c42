// Short rows that begin anywhere, as rows of 49 do: loads of 16 bytes do not fit a single row, but
// they do fit all rows of a block together. So the block copies its rows to shared memory, where a
// row may begin anywhere, and a team of lanes sums each of them there.
#pragma once

#include "../../shared/run.cuh"
#include "packs.cuh"

namespace {

// `own` rows per block.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads) by_stage(Op, Rows<T> r, int own, int lanes) {
  __shared__ uint4 memory[kStageBytes / kLoadBytes + 1];
  T* const stage = reinterpret_cast<T*>(memory);
  const i64 first = static_cast<i64>(blockIdx.x) * own;
  const int columns = static_cast<int>(r.columns),
            rows = static_cast<int>(min(i64{own}, r.rows - first));
  const T* const from = r.x + first * columns;
  const Run<T> run(from, rows * columns);
  run.ask(stage, from);
  run.wait();
  const int lane = threadIdx.x & (lanes - 1), teams = kThreads / lanes;
  for (int turn = 0; turn < own; turn += teams) {
    const int row = turn + threadIdx.x / lanes;
    float value = Op::identity();
    if (row < rows)
#pragma unroll 8
      for (int i = lane; i < columns; i += lanes)
        value = Op::combine(value, wb::to_float(stage[run.begin + row * columns + i]));
    value = over_lanes<Op>(value, lanes);
    if (lane == 0 && row < rows) r.finish(first + row, value);
  }
}

}  // namespace
