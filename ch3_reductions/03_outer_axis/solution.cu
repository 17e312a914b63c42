// The exercise, solved. x is one array, and a thread's loads are a whole grid of loads apart. That
// is a multiple of the columns where they are a power of two up to a block's elements, so each
// element of a load keeps its column, and a thread has as many sums as a load has elements. At its
// end a block has kThreads * kWidth sums side by side, and every `columns`-th of them is of the
// same column: halves are added to halves until one row is left. A second kernel, a block per
// column, combines the sums of the blocks, always in the same order.
#include "../shared/pack.cuh"
#include "columns.cuh"

namespace {

constexpr int kWarp = 32, kThreads = 256;
constexpr int kLoads = 8;  // per thread, in flight

// The sum over the block, in shared memory: halves on halves, until `width` floats are left.
template <class Op> __device__ void halve(float* sums, int count, int width) {
  for (int half = count / 2; half >= width; half /= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < half; i += kThreads)
      sums[i] = Op::combine(sums[i], sums[i + half]);
  }
  __syncthreads();
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) one_array(Op, Columns<T> c, float* left) {
  constexpr int kWidth = Pack<T>::kWidth, kElements = kThreads * kWidth;
  __shared__ float sums[kElements];
  const i64 packs = c.rows * c.columns / kWidth, grid = static_cast<i64>(gridDim.x) * kThreads;
  const auto* x = reinterpret_cast<const Pack<T>*>(c.x);
  Accumulators<Op, T> own;
  for (i64 first = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x; first < packs;
       first += kLoads * grid) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (first + i * grid < packs) pack[i] = x[first + i * grid];
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (first + i * grid < packs) own.take(pack[i]);
  }
#pragma unroll
  for (int i = 0; i < kWidth; ++i) sums[threadIdx.x * kWidth + i] = own.value[i];
  halve<Op>(sums, kElements, static_cast<int>(c.columns));
  for (int column = threadIdx.x; column < c.columns; column += kThreads)
    left[blockIdx.x * c.columns + column] = sums[column];
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads)
    over_blocks(Op, Columns<T> c, int all, const float* left) {
  __shared__ float sums[kThreads];
  float value = Op::identity();
#pragma unroll 4
  for (int i = threadIdx.x; i < all; i += kThreads)
    value = Op::combine(value, left[i * c.columns + blockIdx.x]);
  sums[threadIdx.x] = value;
  halve<Op>(sums, kThreads, 1);
  if (threadIdx.x == 0) c.finish(blockIdx.x, sums[0]);
}

template <class Op, class T> __global__ void by_column(Op, Columns<T> c) {  // all other matrices
  __shared__ float sums[kThreads];
  float value = Op::identity();
  const i64 column = blockIdx.x * i64{kWarp} + threadIdx.x % kWarp;
  if (column < c.columns)
    for (i64 row = threadIdx.x / kWarp; row < c.rows; row += kThreads / kWarp)
      value = Op::combine(value, c.at(row, column));
  sums[threadIdx.x] = value;
  halve<Op>(sums, kThreads, kWarp);
  if (threadIdx.x < kWarp && column < c.columns) c.finish(column, sums[threadIdx.x]);
}

// One array whose loads are all whole and aligned, and a power of two of columns.
bool fits(const OuterAxis::Args& p) {
  const int width = 16 / static_cast<int>(OuterAxis::element_bytes(p.dtype));
  return p.stride == p.columns && p.columns > 0 && p.columns <= kThreads * width &&
         (p.columns & (p.columns - 1)) == 0 && p.rows * p.columns % width == 0 &&
         reinterpret_cast<std::uintptr_t>(p.x) % 16 == 0;
}

auto make(const OuterAxis::Args& p) {
  const int grid = wave(one_array<Plus, __nv_bfloat16>, kThreads);
  const auto left = wb::make_device_array<float>(fits(p) ? grid * p.columns : 1);
  return [=](cudaStream_t stream) {
    with_columns(p, [&](auto op, auto c) {
      if (fits(p)) {
        one_array<<<grid, kThreads, 0, stream>>>(op, c, left.get());
        over_blocks<<<static_cast<unsigned>(c.columns), kThreads, 0, stream>>>(op, c, grid,
                                                                               left.get());
      } else {
        by_column<<<blocks(c.columns, kWarp), kThreads, 0, stream>>>(op, c);
      }
    });
  };
}

}  // namespace

WB_CUDA(OuterAxis, solution, make);
