// Changes against baseline: a warp adds its numbers by shuffles, from register to register. Only
// the eight warps of a block still meet in shared memory, with one barrier instead of nine. (The
// baseline has 8 KiB in flight per multiprocessor at best, 4 bytes for each of 2048 threads, and
// less while threads wait at barriers.)
//
// Predict: the work inside a block shrinks a lot. Does the time? Each block still loads 1 KiB.
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / kWarp;

// In five steps lane 0 has it all: it adds lane 16's number, then lane 8's, which has added lane
// 24's ...
template <class Op> __device__ float over_warp(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value = Op::combine(value, __shfl_down_sync(0xFFFF'FFFFu, value, distance));
  return value;
}

template <class Op, class T>
__global__ void reduce(i64 n, const T* x, double divisor, float* left) {
  __shared__ float of_warp[kWarps];
  const i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  float value = over_warp<Op>(i < n ? wb::to_float(x[i]) : Op::identity());
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return;
  value = over_warp<Op>(lane < kWarps ? of_warp[lane] : Op::identity());
  if (lane == 0) left[blockIdx.x] = quotient(value, divisor);
}

// As in the baseline.
template <class Op, class T>
void level(const Sum::Args& p, i64 n, const T* x, float* left, float* other, cudaStream_t stream) {
  const unsigned grid = std::max(blocks(n, kThreads), 1u);
  const bool last = grid == 1;
  reduce<Op><<<grid, kThreads, 0, stream>>>(n, x, last ? p.divisor() : 1, last ? p.result : left);
  if (!last) level<Op, float>(p, grid, left, other, left, stream);
}

auto make(const Sum::Args& p) {
  const unsigned grid = blocks(p.n, kThreads);
  return [p, left = wb::make_device_array<float>(grid + 1),
          other = wb::make_device_array<float>(blocks(grid, kThreads) + 1)](cudaStream_t stream) {
    with_op_and_type(p, [&](auto op, auto zero) {
      using T = decltype(zero);
      level<decltype(op)>(p, p.n, static_cast<const T*>(p.x), left.get(), other.get(), stream);
      WB_CHECK(cudaGetLastError());
    });
  };
}

}  // namespace

WB_CUDA(Sum, step1_shuffle, make);
