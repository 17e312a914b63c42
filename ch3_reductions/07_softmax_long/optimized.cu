// Changes against step 2: a thread writes 16 bytes at a time. Step 2 asks for that, too, but of the
// address that it computes for each pack (in elements, from the begin of all rows) nvcc 13.0 makes
// four stores of 4 bytes (STG.E). Then the lanes of a store are 16 bytes apart, and it touches four
// times as many sectors as it fills. Here packs are counted from the block's first one, and the
// machine code has STG.E.128.
//
// Predict: if stores are step 2's limit, which part of its time can this save at most?
#include <bit>

#include "../shared/arrival.cuh"
#include "../shared/cluster.cuh"
#include "../shared/pack.cuh"
#include "../softmax/online.cuh"
#include "softmax_long.h"

namespace {

constexpr int kElements = 32, kThreads = 1024;

template <class T> __global__ void __launch_bounds__(kThreads, 1) softmax(Rows<T> r, int piece) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWidth = Pack<T>::kWidth, kLoads = kElements / kWidth;
  extern __shared__ __align__(128) uint4 next[];
  __shared__ std::uint64_t barrier;
  __shared__ Part of_warp[kWarp], of_block[2][kMostCluster];
  const auto cluster = cooperative_groups::this_cluster();
  const int rank = cluster.block_rank(), size = cluster.num_blocks(), thread = threadIdx.x;
  const i64 first = i64{rank} * piece * kWidth, step = gridDim.x / size;  // rows at a time
  const auto left = static_cast<int>(r.columns / kWidth) - rank * piece;
  const int loads = min(max(left, 0), piece);  // of this block
  const auto at = [&](int i) { return thread + i * kThreads; };
  const Arrival arrival(&barrier);
  const auto fetch = [&](i64 row) {
    if (thread == 0 && row < r.rows)
      arrival.fetch(next, r.x + row * r.stride + first, loads * kPackBytes);
  };
  i64 row = blockIdx.x / size;
  if (thread == 0) arrival.begin();
  cluster.sync();  // all blocks have begun: before that no block may write to another one
  fetch(row);
  for (int turn = 0; row < r.rows; row += step, turn ^= 1) {
    float value[kElements];
    Part own = kNothing;
    arrival.wait(turn);
#pragma unroll
    for (int i = 0; i < kElements; ++i) {
      const int place = at(i / kWidth);
      if (i % kWidth == 0) Pack<T>{next[place]}.to_floats(value + i);
      if (place >= loads) value[i] = -INFINITY;
      own.max = fmaxf(own.max, value[i]);
    }
    __syncthreads();  // all have read it, so the next row may come
    fetch(row + step);
#pragma unroll
    for (int i = 0; i < kElements; ++i) own.sum += value[i] = scale(value[i], own.max);
    Part all = over_block(own, of_warp, kNothing);
    // Each block writes to all. Two arrays take turns: a slower block may still read the other.
    if (thread < size) *cluster.map_shared_rank(&of_block[turn][rank], thread) = all;
    cluster.sync();
    all = over_warp(thread % kWarp < size ? of_block[turn][thread % kWarp] : Part{kNothing});
    const float factor = scale(own.max, all.max) / all.sum;
#pragma unroll
    for (int i = 0; i < kElements; ++i) value[i] *= factor;
    auto* const to = reinterpret_cast<uint4*>(r.out + row * r.stride + first);
#pragma unroll
    for (int i = 0; i < kLoads; ++i)
      if (at(i) < loads) to[at(i)] = Pack<T>::of(value + i * kWidth).words;
  }
#endif
}

auto make(const SoftmaxLong::Args& p) {
  const auto size = static_cast<int>(std::bit_ceil(blocks(p.columns, kThreads * kElements)));
  if (size > kMostCluster) throw wb::Unsupported("too long for a cluster");
  int resident = 0;
  const auto with_clusters = [=](auto f) {
    with_rows(p, [&]<class T>(Rows<T> r) {
      if (!fill_packs({r.x, r.out}, r.columns | r.stride, Pack<T>::kWidth))
        throw wb::Unsupported("rows that are no whole number of 16-byte loads");
      f(Clusters{softmax<T>, size, kThreads, kThreads * kElements * int{sizeof(T)}}, r,
        static_cast<int>(blocks(r.columns / Pack<T>::kWidth, size)));
    });
  };
  with_clusters([&](auto clusters, auto...) { resident = clusters.resident(); });
  return [=](cudaStream_t stream) {
    with_clusters([&](auto clusters, auto rows, int piece) {
      clusters.launch(std::min<i64>(resident, p.rows), stream, rows, piece);
    });
  };
}

}  // namespace

WB_CUDA(SoftmaxLong, optimized, make);
WB_NEEDS("9.0, 129 KiB for fp32");
