// The exercise, solved: a thread walks down 64 rows of a column, masks, and keeps the sum in a
// register. Neighbours have neighbouring columns, so a warp's accesses are whole lines. A row of
// sums for each 64 rows is a thirty-second of dz's bytes at most.
//
// It is 0.80 times as fast as step1_in_place (H200, 2026-11-25).
#include "add_up.cuh"
#include "product.cuh"

namespace {

constexpr int kHeight = 64;

template <class T> __global__ void mask_and_add(wb::i64 m, int n, const T* h, T* dz, float* sums) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  const wb::i64 first = wb::i64{blockIdx.y} * kHeight, end = min(m, first + kHeight);
  float sum = 0;
#pragma unroll 8
  for (wb::i64 i = first * n + column; i < end * n; i += n) {
    float v = wb::to_float(dz[i]);
    if (!(wb::to_float(h[i]) > 0)) dz[i] = wb::from_float<T>(v *= LeakyReluBackward::kSlope);
    sum += v;
  }
  sums[wb::i64{blockIdx.y} * n + column] = sum;
}

auto make(const LeakyReluBackward::Args& p) {
  const wb::i64 down = (p.m + kHeight - 1) / kHeight;
  return [=, multiply = fastest(product_of(p)),
          sums = wb::make_device_array<float>(down * p.n)](cudaStream_t stream) {
    multiply(stream);
    with_types(p, [&](auto, auto, auto h, auto dz, auto db) {
      const dim3 grid = wb::grid((p.n + 127) / 128, down);
      if (grid.x * grid.y > 0) mask_and_add<<<grid, 128, 0, stream>>>(p.m, p.n, h, dz, sums.get());
      finish(down, p.n, sums.get(), db, stream);
    });
  };
}

}  // namespace

WB_CUDA(LeakyReluBackward, solution, make);
