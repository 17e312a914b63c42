// Exercise: a million rows of 64. A block of 64 threads per row, and a tree in shared memory with a
// barrier for each of its levels: right for rows of any length, and made for long ones.
//
// TODO 1: let 16 lanes take a row of 64 with one load of 16 bytes each, and shuffles instead of the
//         tree. No shared memory, no barrier.
// TODO 2: a thread with a single load in flight waits most of its time. Let it load for four rows
//         before it adds up the first.
// TODO 3: then count shuffles: four per row, 16 for four rows. In a shuffle each lane gives one
//         value and gets one, so two rows can be halved at once. How few can it be?
// Keep the kernel below for rows that do not fit.
// Goal: 0.9 times all_shapes at op=sum,dtype=fp32,rows=1048576,columns=64
// Goal: at most 5000 requests at op=sum,dtype=fp32,rows=4096,columns=64
// Hints are in README.md.
#include "rows.cuh"

namespace {

constexpr int kThreads = 64;

template <class Op, class T> __global__ void reduce(Op, Rows<T> r) {
  __shared__ float tree[kThreads];
  const T* x = r.begin(blockIdx.x);
  float value = Op::identity();
  for (i64 column = threadIdx.x; column < r.columns; column += kThreads)
    value = Op::combine(value, wb::to_float(x[column]));
  tree[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      tree[threadIdx.x] = Op::combine(tree[threadIdx.x], tree[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) r.finish(blockIdx.x, tree[0]);
}

void run(const InnerAxis::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto op, auto rows) {
    reduce<<<static_cast<unsigned>(rows.rows), kThreads, 0, stream>>>(op, rows);
  });
}

}  // namespace

WB_CUDA(InnerAxis, exercise, run);
