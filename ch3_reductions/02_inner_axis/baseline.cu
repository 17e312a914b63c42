// One thread per row: the loop that one writes first. It needs no cooperation, and neighbouring
// threads read addresses that are a whole row apart.
//
// Predict: a load of a warp touches 32 rows. How many bytes of each 32-byte sector does it use, and
// which loads use the others? What is different for rows of 4?
#include "rows.cuh"

namespace {

constexpr int kThreads = 256;

template <class Op, class T> __global__ void reduce(Op, Rows<T> r) {
  const i64 row = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= r.rows) return;
  const T* x = r.begin(row);
  float value = Op::identity();
  for (i64 column = 0; column < r.columns; ++column)
    value = Op::combine(value, wb::to_float(x[column]));
  r.finish(row, value);
}

void run(const InnerAxis::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto op, auto rows) {
    reduce<<<blocks(rows.rows, kThreads), kThreads, 0, stream>>>(op, rows);
  });
}

}  // namespace

WB_CUDA(InnerAxis, baseline, run);
