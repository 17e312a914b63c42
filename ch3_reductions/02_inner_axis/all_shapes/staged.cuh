// Short rows that begin anywhere, as rows of 49 do: loads of 16 bytes do not fit a row, but they do
// fit what a block has of them, one behind the other. So the block copies all of its rows to shared
// memory, where a row may begin anywhere; a team of lanes sums each from there.
#pragma once

#include <cuda_pipeline.h>

#include "packs.cuh"

namespace {

// `own` rows per block, a multiple of the elements in 16 bytes; x at a multiple of 16 bytes.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads) by_stage(Op, Rows<T> r, int own, int lanes) {
  __shared__ __align__(kLoadBytes) unsigned char memory[kStageBytes];
  T* const stage = reinterpret_cast<T*>(memory);
  const i64 first = static_cast<i64>(blockIdx.x) * own;
  const int columns = static_cast<int>(r.columns),
            rows = static_cast<int>(min(i64{own}, r.rows - first));
  constexpr int kWidth = kLoadBytes / sizeof(T);
  const int count = rows * columns, whole = count / kWidth * kWidth;
  const T* const from = r.x + first * columns;
  for (int i = threadIdx.x * kWidth; i < whole; i += kThreads * kWidth)
    __pipeline_memcpy_async(stage + i, from + i, kLoadBytes);  // past the registers
  __pipeline_commit();
  for (int i = whole + threadIdx.x; i < count; i += kThreads) stage[i] = from[i];
  __pipeline_wait_prior(0);
  __syncthreads();
  const int lane = threadIdx.x & (lanes - 1), teams = kThreads / lanes;
  for (int turn = 0; turn < own; turn += teams) {
    const int row = turn + threadIdx.x / lanes;
    float value = Op::identity();
    if (row < rows)
#pragma unroll 8
      for (int i = lane; i < columns; i += lanes)
        value = Op::combine(value, wb::to_float(stage[row * columns + i]));
    value = over_lanes<Op>(value, lanes);
    if (lane == 0 && row < rows) r.finish(first + row, value);
  }
}

}  // namespace
