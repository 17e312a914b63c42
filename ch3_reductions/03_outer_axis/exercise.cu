// Exercise: a million rows of 64. A block of 32 x 16 threads takes 32 columns, so there are two
// blocks, and a thread's loads are 4 bytes each: right for any matrix, and made for many columns.
//
// TODO 1: where 64 columns lie row behind row, read x as one array, 16 bytes per load. A thread's
//         next load is a whole grid of loads further. Which column is it in? Make it the same each
//         time, and one sum per element of a load is enough: four in fp32, eight in bf16.
// TODO 2: let a thread ask for four loads of 16 bytes before it adds up the first.
// TODO 3: a block has the sums of many rows' worth of columns: let it meet in shared memory, and a
//         second kernel combine what the blocks leave. No atomic additions of floats: same input,
//         same bits.
// Keep the kernel below for matrices that do not fit.
// Goal: 0.85 times all_shapes at op=sum,dtype=bf16,rows=1048576,columns=64
// Goal: at most 30000 requests at op=sum,dtype=bf16,rows=32768,columns=64
// Hints are in README.md.
#include "columns.cuh"

namespace {

constexpr int kWarp = 32, kWarps = 16;

template <class Op, class T> __global__ void reduce(Op, Columns<T> c) {
  __shared__ float of_warp[kWarps][kWarp];
  const i64 column = static_cast<i64>(blockIdx.x) * kWarp + threadIdx.x;
  float value = Op::identity();
  if (column < c.columns)
    for (i64 row = threadIdx.y; row < c.rows; row += kWarps)
      value = Op::combine(value, c.at(row, column));
  of_warp[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.y > 0 || column >= c.columns) return;
  for (int warp = 1; warp < kWarps; ++warp) value = Op::combine(value, of_warp[warp][threadIdx.x]);
  c.finish(column, value);
}

void run(const OuterAxis::Args& p, cudaStream_t stream) {
  with_columns(p, [&](auto op, auto c) {
    reduce<<<blocks(c.columns, kWarp), dim3(kWarp, kWarps), 0, stream>>>(op, c);
  });
}

}  // namespace

WB_CUDA(OuterAxis, exercise, run);
