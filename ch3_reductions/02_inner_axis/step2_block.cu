// Changes against step 1: a block per row, so that eight times as many loads are in flight for each
// row. Its warps combine their sums once, in shared memory. (In a row of 4, 28 lanes of step 1's
// warps have nothing to load.)
//
// Predict: which shapes gain from it, those with many rows or those with few? And what does it cost
// for 16 Mi rows of 4?
#include "../shared/shuffle.cuh"
#include "rows.cuh"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(Op, Rows<T> r) {
  __shared__ float of_warp[kThreads / kWarp];
  const i64 row = blockIdx.x;
  const T* x = r.begin(row);
  float value = Op::identity();
  for (i64 column = threadIdx.x; column < r.columns; column += kThreads)
    value = Op::combine(value, wb::to_float(x[column]));
  value = warp_reduce<Op>(value);
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  if (threadIdx.x >= kWarp) return;
  value = threadIdx.x < kThreads / kWarp ? of_warp[threadIdx.x] : Op::identity();
  value = warp_reduce<Op>(value);
  if (threadIdx.x == 0) r.finish(row, value);
}

void run(const InnerAxis::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto op, auto rows) {
    reduce<<<static_cast<unsigned>(rows.rows), kThreads, 0, stream>>>(op, rows);
  });
}

}  // namespace

WB_CUDA(InnerAxis, step2_block, run);
