// One thread per column, which walks down the rows: the loop that one writes first. The lanes of a
// warp read neighbours, so each sector is used as a whole.
//
// Predict: 8192 columns are 256 warps, and an H200 has 132 multiprocessors that hold 64 warps each.
// How many bytes has a multiprocessor in flight? And how many threads work on 4 columns?
#include "columns.cuh"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(Op, Columns<T> c) {
  const i64 column = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (column >= c.columns) return;
  float value = Op::identity();
  for (i64 row = 0; row < c.rows; ++row) value = Op::combine(value, c.at(row, column));
  c.finish(column, value);
}

void run(const OuterAxis::Args& p, cudaStream_t stream) {
  with_columns(p, [&](auto op, auto c) {
    reduce<<<blocks(c.columns, kThreads), kThreads, 0, stream>>>(op, c);
  });
}

}  // namespace

WB_CUDA(OuterAxis, baseline, run);
