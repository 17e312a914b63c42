// Against step 1, for a small C with a long k: 128 x 128 sums of 65,536 terms are one tile there,
// so one multiprocessor works and 131 wait. *Split-k*: several blocks share a tile, and each has a
// slice of k.
// - Tiles are 64 x 64, so there are more of them, and a block needs only one consumer. Each stage
//   is 16 KB, and eight of them keep enough bytes on their way.
// - The blocks of a tile are a cluster, up to 8 of them: they run at the same time and read each
//   other's shared memory. So partial sums never go to memory. When all sums are in shared
//   memory, each block adds up its share of the rows from all the blocks, always in the same order.
//   So the same input gives the same bits. With atomic additions it would not.
// - Only then is a sum rounded.
//
// Predict: 128 x 128 x 65536 reads 34 MB. How long is that at your bandwidth, and how many blocks
// take part? What does this cost where C is large?
#include <cooperative_groups.h>

#include "../shared/hopper.cuh"
#include "../shared/product16.cuh"
#include "hopper_pipeline.h"

namespace {

constexpr int kTile = 64, kDepth = 64, kStages = 8, kStage = kTile * kDepth, kMostSlices = 8;
constexpr int kThreads = 128 + 32;  // a consumer, and a warp of which one thread asks for tiles
constexpr int kPitch = kTile + 8;   // floats from row to row: a warp's go to different banks

template <class T> struct Shared {
  alignas(1024) T a[kStages][kStage];
  alignas(1024) T b[kStages][kStage];
  float sums[kTile * kPitch];
  hopper::Barrier full[kStages], empty[kStages];
};

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    multiply(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, T* c) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const auto cluster = cooperative_groups::this_cluster();
  const int slices = gridDim.z, slice = blockIdx.z;  // a cluster is along z
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int steps = (k + kDepth - 1) / kDepth;
  const int begin = std::int64_t{steps} * slice / slices;
  const int end = std::int64_t{steps} * (slice + 1) / slices;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      s.full[i].init(1);
      s.empty[i].init(4);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<kStages> ring;
  if (warp == 4) {
    if (lane == 0)
      for (int i = begin; i < end; ++i, ring.next()) {
        hopper::Barrier& full = s.full[ring.stage];
        s.empty[ring.stage].wait(ring.parity ^ 1);
        full.arrive_expecting(sizeof s.a[0] + sizeof s.b[0]);
        hopper::load(s.a[ring.stage], map_a, row, i * kDepth, full);
        hopper::load(s.b[ring.stage], map_b, column, i * kDepth, full);
      }
    __syncwarp();
  } else {
    float sum[kTile / 2] = {};
    for (int i = begin; i < end; ++i, ring.next()) {
      s.full[ring.stage].wait(ring.parity);
      const std::uint64_t a = hopper::describe(s.a[ring.stage]);
      const std::uint64_t b = hopper::describe(s.b[ring.stage]);
      hopper::begin();
      for (int j = 0; j < kDepth / 16; ++j) hopper::multiply<T>(sum, a + 2 * j, b + 2 * j, true);
      hopper::commit();
      hopper::wait<1>();
      if (i > begin && lane == 0) s.empty[(ring.stage + kStages - 1) % kStages].arrive();
    }
    hopper::wait<0>(sum);
    float* const own = s.sums + (warp * 16 + lane / 4) * kPitch + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < kTile / 8; ++j) {
      *reinterpret_cast<float2*>(own + 8 * j) = {sum[4 * j], sum[4 * j + 1]};
      *reinterpret_cast<float2*>(own + 8 * kPitch + 8 * j) = {sum[4 * j + 2], sum[4 * j + 3]};
    }
  }
  hopper::synchronize_cluster();  // the sums of all slices are there

  // A warp takes a row: lanes have two columns each, and stores are whole lines.
  const int x = column + 2 * lane;
  for (int r = slice * (kThreads / 32) + warp; r < kTile; r += slices * (kThreads / 32)) {
    float2 sum = {0, 0};
    for (int other = 0; other < slices; ++other) {
      const float* const sums = cluster.map_shared_rank(s.sums, other);
      const float2 part = *reinterpret_cast<const float2*>(sums + r * kPitch + 2 * lane);
      sum.x += part.x, sum.y += part.y;
    }
    if (row + r < m && x < n)
      *reinterpret_cast<unsigned*>(c + std::int64_t{row + r} * n + x) =
          hopper::pack<T>(sum.x, sum.y);
  }
  hopper::synchronize_cluster();  // no block leaves while another reads its sums
#endif
}

// As many slices as give each multiprocessor a block, and each slice at least the steps that fill
// its stages.
int slices_for(wb::i64 tiles, wb::i64 k) {
  int slices = 1;
  while (2 * slices <= kMostSlices && 2 * slices * tiles <= hopper::multiprocessors() &&
         2 * slices * kStages * kDepth <= k)
    slices *= 2;
  return slices;
}

auto make(const TensorCores::Args& p) {
  hopper::require(p.m, p.n, p.k);
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) {
    const auto kernel = multiply<T>;
    const int bytes = sizeof(Shared<T>);
    wb::allow_shared(kernel, bytes);
    const auto map_a = hopper::tensor_map<T>(a, p.m, p.k, kTile);
    const auto map_b = hopper::tensor_map<T>(b, p.n, p.k, kTile);
    const wb::i64 down = (p.m + kTile - 1) / kTile, across = (p.n + kTile - 1) / kTile;
    if (down > 65535) throw wb::Unsupported("too tall: the grid's y stops at 65,535 blocks");
    const unsigned slices = slices_for(down * across, p.k);
    return std::function([=](cudaStream_t stream) {
      cudaLaunchAttribute cluster = {};
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {1, 1, slices};
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(across, down, slices), config.blockDim = kThreads;
      config.dynamicSmemBytes = bytes, config.stream = stream;
      config.attrs = &cluster, config.numAttrs = 1;
      WB_CHECK(cudaLaunchKernelEx(&config, kernel, int(p.m), int(p.n), int(p.k), map_a, map_b, c));
    });
  });
}

}  // namespace

WB_CUDA(TensorCores, step4_split_k, make);
WB_NEEDS("9.0 alone");
