// Exercise: log(sum of exp(x)) of each long row, as the loss of a large vocabulary needs it.
// Nothing else is written, so x needs to be read only once. A block has a row and goes over it
// twice: for the maximum, and for the sum. With 128 rows a multiprocessor has one block of 256
// threads at most, and each of these loads one float at a time.
//
// TODO 1: find maximum and sum in one pass (online softmax, as in baseline.cu).
// TODO 2: give each row to many blocks. A first launch stores a maximum and a sum per piece, and a
//         second one merges the pairs of a row. Which merge is right where a piece has only -inf?
// TODO 3: load 16 bytes at a time where rows allow it, several loads before the first is used.
// Goal: 1.8 times all_shapes at op=softmax,dtype=fp32,rows=128,columns=524288
// Goal: at most 5000 requests at op=softmax,dtype=fp32,rows=4,columns=65536
// Hints are in README.md.
#include "../softmax/online.cuh"
#include "softmax_long.h"

namespace {

constexpr int kThreads = 256;

template <class T> __global__ void log_sum(Rows<T> r, float* log_sums) {
  __shared__ Part of_warp[2][kWarp];
  const T* x = r.x + blockIdx.x * r.stride;
  Part own = kNothing;
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads)
    own.max = fmaxf(own.max, wb::to_float(x[i]));
  const float max = over_block(own, of_warp[0], kNothing).max;
  own = {max, 0};
  for (i64 i = threadIdx.x; i < r.columns; i += kThreads) own.sum += scale(wb::to_float(x[i]), max);
  const Part all = over_block(own, of_warp[1], kNothing);
  if (threadIdx.x == 0) log_sums[blockIdx.x] = all.max + logf(all.sum);
}

void run(const LogSum::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto rows) {
    log_sum<<<static_cast<unsigned>(p.rows), kThreads, 0, stream>>>(rows, p.log_sums);
  });
}

}  // namespace

WB_CUDA(LogSum, exercise, run);
