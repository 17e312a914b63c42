// Changes against baseline: a warp per row. Its lanes read neighbours, so each sector is used as a
// whole, and five shuffles make one value of 32.
//
// Predict: what is gained for 8192 rows of 8192? And how many lanes have nothing to do in a row of
// 4, where the baseline had a use for each thread?
#include "../shared/shuffle.cuh"
#include "rows.cuh"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(Op, Rows<T> r) {
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= r.rows) return;  // the whole warp
  const int lane = threadIdx.x % kWarp;
  const T* x = r.begin(row);
  float value = Op::identity();
  for (i64 column = lane; column < r.columns; column += kWarp)
    value = Op::combine(value, wb::to_float(x[column]));
  value = warp_reduce<Op>(value);
  if (lane == 0) r.finish(row, value);
}

void run(const InnerAxis::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto op, auto rows) {
    reduce<<<blocks(rows.rows, kThreads / kWarp), kThreads, 0, stream>>>(op, rows);
  });
}

}  // namespace

WB_CUDA(InnerAxis, step1_warp, run);
