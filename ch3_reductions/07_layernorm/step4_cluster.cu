// Changes against optimized: a row of up to 512 KiB has a cluster of up to 16 blocks. Each block
// writes the mean and squared distances of its own part into the shared memory of all others; there
// they merge as the parts of two threads do in step 1 (moments.cuh).
//
// A block keeps its columns for many rows, and its part of weight and bias in shared memory. Before
// it computes, one of its threads asks the tensor memory accelerator for the block's part of the
// next row (arrival.cuh). While a block waits for its cluster, one of another cluster can compute.
// (H200, 2026-11-25, 1024 rows of 64 Ki in fp32: 213 us, step 2 200, all_shapes 140 us.)
//
// Predict: 1024 rows of 64 Ki in fp32 are 268 MB. Read once, written once: how long? The parts of
// row, weight and bias are 32 KiB each: how many blocks fit into 227 KiB?
#include <bit>

#include "../shared/arrival.cuh"
#include "../shared/cluster.cuh"
#include "moments.cuh"

namespace {

constexpr int kLoads = 4, kThreads = 512, kPlaces = kLoads * kThreads;

template <class T> __global__ void __launch_bounds__(kThreads, 2) forward(Norm<T> n, int piece) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWidth = Pack<T>::kWidth;
  extern __shared__ __align__(128) uint4 next[];  // then weight, then bias
  __shared__ std::uint64_t barrier;
  uint4 *const weights = next + kPlaces, *const biases = weights + kPlaces;
  __shared__ float of_warp[2][kWarp];
  __shared__ Moments of_block[2][kMostCluster];
  const auto cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank(), size = cluster.num_blocks(), thread = threadIdx.x;
  const i64 first = i64{rank} * piece * kWidth, step = gridDim.x / size;  // rows at a time
  const auto left = static_cast<int>(n.columns / kWidth) - rank * piece;
  const int loads = min(max(left, 0), piece);  // of this block
  const auto at = [&](int i) { return thread + i * kThreads; };
  const auto has = [&](int i) { return at(i) < loads; };
  const Arrival arrival(&barrier);
  const auto fetch = [&](i64 row) {
    if (thread == 0 && row < n.rows)
      arrival.fetch(next, n.row_of_x(row) + first, loads * kPackBytes);
  };
  i64 row = blockIdx.x / size;
  if (thread == 0) arrival.begin();
  for (int i = 0; i < kLoads; ++i)
    if (has(i)) {
      weights[at(i)] = Pack<T>::load(n.weight + first + at(i) * kWidth).words;
      if (!n.rms) biases[at(i)] = Pack<T>::load(n.bias + first + at(i) * kWidth).words;
    }
  cluster.sync();  // all blocks have begun: before that no block may write to another one
  fetch(row);
  for (int turn = 0; row < n.rows; row += step, turn ^= 1) {
    Pack<T> pack[kLoads];
    float value[kWidth], sum = 0, count = loads * kWidth;
    arrival.wait(turn);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (has(i)) {
        pack[i].words = next[at(i)];
        pack[i].to_floats(value);
        for (int j = 0; j < kWidth; ++j) sum += value[j];
      }
    __syncthreads();  // all have read it, so the next row may come
    fetch(row + step);
    Moments own{count, n.rms ? 0 : over_block(sum, of_warp[0]) / fmaxf(count, 1), 0};
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (has(i)) {
        pack[i].to_floats(value);
        for (int j = 0; j < kWidth; ++j) own.m2 += (value[j] - own.mean) * (value[j] - own.mean);
      }
    own.m2 = over_block(own.m2, of_warp[1]);
    // Each block writes to all. Two arrays take turns: a slower block may still read the other.
    if (thread < size) *cluster.map_shared_rank(&of_block[turn][rank], thread) = own;
    cluster.sync();
    const Moments all =
        over_warp(thread % kWarp < size ? of_block[turn][thread % kWarp] : Moments{});
    const float rstd = n.rstd_of(all.m2);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (has(i)) {
        float weight[kWidth], bias[kWidth] = {};
        Pack<T>{weights[at(i)]}.to_floats(weight);
        if (!n.rms) Pack<T>{biases[at(i)]}.to_floats(bias);
        pack[i].to_floats(value);
        for (int j = 0; j < kWidth; ++j)
          value[j] = n.y_of(value[j], all.mean, rstd, weight[j], bias[j]);
        Pack<T>::of(value).store(n.y + row * n.columns + first + at(i) * kWidth);
      }
  }
#endif
}

auto make(const LayerNorm::Args& p) {
  forward_only(p);
  int resident = 0;
  const auto with_clusters = [=](auto f) {
    with_norm(p, [&]<class T>(const Norm<T>& n) {
      const i64 loads = n.columns / Pack<T>::kWidth;
      const auto size = static_cast<int>(std::bit_ceil(blocks(loads, kPlaces)));
      if (!n.fills_packs() || size > kMostCluster)
        throw wb::Unsupported("rows of up to 512 KiB, in whole loads of 16 bytes");
      f(Clusters{forward<T>, size, kThreads, 3 * kPlaces * kPackBytes}, n,
        static_cast<int>(blocks(loads, size)));
    });
  };
  with_clusters([&](auto clusters, auto...) { resident = clusters.resident(); });
  return [=](cudaStream_t stream) {
    with_clusters([&](auto clusters, auto norm, int piece) {
      clusters.launch(std::min<i64>(resident, p.rows), stream, norm, piece);
    });
  };
}

}  // namespace

WB_CUDA(LayerNorm, step4_cluster, make);
WB_NEEDS("9.0");
