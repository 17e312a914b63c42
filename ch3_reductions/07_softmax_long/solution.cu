// The exercise, solved. A block has a piece of 16 Ki elements. Each thread loads 16 packs of fp32,
// four of them before it uses the first, and merges what it has of four elements at a time: one
// exponential per element, and two for each merge. A warp per row then merges the pairs of all
// pieces. `combine` takes the exponential relative to a finite number where both maxima are -inf,
// so an empty part stays 0 and does not become NaN.
#include "../shared/pack.cuh"
#include "../softmax/online.cuh"
#include "softmax_long.h"

namespace {

constexpr int kThreads = 256, kTogether = 4;  // loads that are in flight at a time
constexpr i64 kPiece = 1 << 14;               // elements

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads) parts_of(Rows<T> r, unsigned pieces, Part* parts) {
  __shared__ Part of_warp[kWarp];
  constexpr i64 kStep = kThreads * kWidth;
  const T* const x = r.x + blockIdx.x / pieces * r.stride;
  const i64 begin = blockIdx.x % pieces * kPiece, end = min(begin + kPiece, r.columns);
  Part own = kNothing;
  for (i64 i = begin + threadIdx.x * kWidth; i < end; i += kTogether * kStep) {
    Pack<T, kWidth> pack[kTogether];
    float value[kTogether][kWidth];
    Part four = kNothing;
#pragma unroll
    for (int j = 0; j < kTogether; ++j)
      if (i + j * kStep < end) pack[j] = Pack<T, kWidth>::load_once(x + i + j * kStep);
#pragma unroll
    for (int j = 0; j < kTogether; ++j) {
      pack[j].to_floats(value[j]);
#pragma unroll
      for (float& v : value[j]) {
        if (i + j * kStep >= end) v = -INFINITY;
        four.max = fmaxf(four.max, v);
      }
    }
#pragma unroll
    for (int j = 0; j < kTogether; ++j)
#pragma unroll
      for (const float v : value[j]) four.sum += scale(v, four.max);
    own = combine(own, four);
  }
  own = over_block(own, of_warp, kNothing);
  if (threadIdx.x == 0) parts[blockIdx.x] = own;
}

// A warp per row.
__global__ void merged(const Part* parts, unsigned pieces, float* log_sums) {
  Part all = kNothing;
  for (unsigned i = threadIdx.x; i < pieces; i += kWarp)
    all = combine(all, parts[blockIdx.x * pieces + i]);
  all = over_warp(all);
  if (threadIdx.x == 0) log_sums[blockIdx.x] = all.max + logf(all.sum);
}

auto make(const LogSum::Args& p) {
  const unsigned pieces = blocks(p.columns, kPiece);
  const auto grid = static_cast<unsigned>(p.rows * pieces);
  const auto parts = wb::make_device_array<Part>(grid + 1);
  return [=](cudaStream_t stream) {
    with_rows(p, [&]<class T>(Rows<T> r) {
      if (fill_packs({r.x}, r.columns | r.stride, Pack<T>::kWidth))
        parts_of<Pack<T>::kWidth><<<grid, kThreads, 0, stream>>>(r, pieces, parts.get());
      else
        parts_of<1><<<grid, kThreads, 0, stream>>>(r, pieces, parts.get());
      merged<<<static_cast<unsigned>(r.rows), kWarp, 0, stream>>>(parts.get(), pieces, p.log_sums);
    });
  };
}

}  // namespace

WB_CUDA(LogSum, solution, make);
