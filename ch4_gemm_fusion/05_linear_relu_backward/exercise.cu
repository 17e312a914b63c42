// Back through a leaky ReLU: the mask takes seven eighths, and leaves an eighth of the gradient
// (LeakyReluBackward). The library's product, then two kernels: one masks dz, one sums its columns,
// a thread per column. So dz is read twice after the product, and the second time by a few
// thousand threads, each with few loads on their way.
//
// TODO: let one kernel do both. A block takes some columns of some rows, masks them, and adds them
//       up on the way; it stores its sums as a separate row. finish() of add_up.cuh adds these
//       rows up and rounds.
// Goal: at most 4 times as long as step1_in_place at m=8192,n=4096,k=1024,dtype=bf16
// Hints are in README.md.
#include "add_up.cuh"
#include "product.cuh"

namespace {

template <class T> __global__ void apply_mask(wb::i64 count, const T* h, T* dz) {
  const wb::i64 i = wb::i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count && !(wb::to_float(h[i]) > 0))
    dz[i] = wb::from_float<T>(LeakyReluBackward::kSlope * wb::to_float(dz[i]));
}

template <class T> __global__ void sum_columns(wb::i64 m, int n, const T* dz, T* db) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  float sum = 0;
  for (wb::i64 row = 0; row < m; ++row) sum += wb::to_float(dz[row * n + column]);
  db[column] = wb::from_float<T>(sum);
}

auto make(const LeakyReluBackward::Args& p) {
  return [p, multiply = fastest(product_of(p))](cudaStream_t stream) {
    multiply(stream);
    with_types(p, [&](auto, auto, auto h, auto dz, auto db) {
      const wb::i64 count = p.m * p.n;
      if (count > 0) apply_mask<<<(count + 255) / 256, 256, 0, stream>>>(count, h, dz);
      if (p.n > 0) sum_columns<<<(p.n + 127) / 128, 128, 0, stream>>>(p.m, p.n, dz, db);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(LeakyReluBackward, exercise, make);
