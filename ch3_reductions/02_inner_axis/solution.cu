// The exercise, solved. A team of lanes has four rows in flight, so each lane ends with four values
// to combine over the team. First one half of the team gives its values of rows 2 and 3 away and
// gets the other half's of rows 0 and 1, in two shuffles. Then each lane has two rows left, and
// after one more shuffle a single row. A team of 16 needs two more: five shuffles, while row after
// row takes 16. `optimized` saves shuffles in another way: fewer lanes per row, two loads for each.
#include <bit>

#include "../shared/pack.cuh"
#include "../shared/shuffle.cuh"
#include "rows.cuh"

namespace {

constexpr int kThreads = 256, kRows = 4;

// `lanes`: 4 to 32, a power of two. Returns the value of row `row` of the four, and sets it.
template <class Op> __device__ float four_rows(float (&value)[kRows], int lanes, int& row) {
  row = 0;
#pragma unroll
  for (int rows = kRows / 2; rows > 0; rows /= 2) {
    const int distance = lanes * rows / kRows;  // half of the team, then a quarter
    const bool upper = threadIdx.x & distance;
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      const float mine = upper ? value[i + rows] : value[i];
      const float other = upper ? value[i] : value[i + rows];
      value[i] = Op::combine(mine, __shfl_xor_sync(0xFFFFFFFF, other, distance));
    }
    row += upper ? rows : 0;
  }
  return warp_reduce<Op>(value[0], lanes / kRows);
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) by_teams(Op, Rows<T> r, int lanes) {
  constexpr int kWidth = Pack<T>::kWidth;
  const int teams = kThreads / lanes, lane = threadIdx.x % lanes;
  const i64 first = static_cast<i64>(blockIdx.x) * kRows * teams + threadIdx.x / lanes;
  Pack<T> pack[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    if (lane * kWidth < r.columns && first + i * teams < r.rows)
      pack[i] = Pack<T>::load(r.begin(first + i * teams) + lane * kWidth);
  float value[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    Accumulators<Op, T> own;
    if (lane * kWidth < r.columns && first + i * teams < r.rows) own.take(pack[i]);
    value[i] = own.result();
  }
  int own = 0;
  const float all = four_rows<Op>(value, lanes, own);
  const i64 row = first + own * teams;
  if (lane % (lanes / kRows) == 0 && row < r.rows) r.finish(row, all);
}

template <class Op, class T> __global__ void by_warp(Op, Rows<T> r) {  // all other rows
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= r.rows) return;
  const T* x = r.begin(row);
  float value = Op::identity();
  for (i64 column = threadIdx.x % kWarp; column < r.columns; column += kWarp)
    value = Op::combine(value, wb::to_float(x[column]));
  value = warp_reduce<Op>(value);
  if (threadIdx.x % kWarp == 0) r.finish(row, value);
}

void run(const InnerAxis::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto op, auto rows) {
    const int width = 16 / static_cast<int>(InnerAxis::element_bytes(p.dtype));
    const auto loads = std::bit_ceil(static_cast<std::uint64_t>(p.columns / width));
    if (fill_packs({p.x}, p.columns | p.stride, width) && loads >= kRows && loads <= kWarp)
      by_teams<<<blocks(rows.rows, i64{kRows} * kThreads / loads), kThreads, 0, stream>>>(
          op, rows, static_cast<int>(loads));
    else
      by_warp<<<blocks(rows.rows, kThreads / kWarp), kThreads, 0, stream>>>(op, rows);
  });
}

}  // namespace

WB_CUDA(InnerAxis, solution, run);
