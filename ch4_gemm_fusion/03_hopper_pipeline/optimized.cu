// Against step 3: *clusters*. Two neighbouring blocks make two tiles, one above the other. Both
// need the same rows of B: each loads half of them, and TMA delivers them to both (*multicast*). A
// stage costs 32 KB from L2 instead of 48. It is empty when the consumers of both blocks have read
// it.
//
// Predict: at its power limit a GPU lowers its clock. What can clusters save, then, though the
// tensor cores did not wait in step 3? And what do pairs of tiles cost where C has 4097 rows?
#include "../shared/hopper.cuh"
#include "../shared/product16.cuh"
#include "hopper_pipeline.h"

namespace {

constexpr int kRows = 128, kColumns = 256, kDepth = 64, kStages = 4, kThreads = 3 * 128;
constexpr int kBoxes = 2, kBox = 64 * 64;
constexpr int kCluster = 2, kPair = kCluster * kRows;
constexpr int kShare = kColumns / kCluster;  // rows of B that a block loads, for both

template <class T> struct Shared {
  alignas(1024) T a[kStages][kRows * kDepth];
  alignas(1024) T b[kStages][kColumns * kDepth];
  alignas(1024) T c[2][kBoxes][kBox];  // for each consumer
  hopper::Barrier full[kStages], empty[kStages];
};

template <class T>
__global__ void __launch_bounds__(kThreads, 1) HOPPER_CLUSTER(kCluster)
    multiply(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + kDepth - 1) / kDepth;
  const int down = (m + kPair - 1) / kPair, across = (n + kColumns - 1) / kColumns;
  // Where pair `index` of tiles begins: down a group of kGroup pairs, then the next column.
  const auto place = [&](int index) -> int2 {
    constexpr int kGroup = 8;
    const int first = index / (kGroup * across) * kGroup, height = min(kGroup, down - first);
    const int in_group = index % (kGroup * across);
    return {(first + in_group % height) * kPair, in_group / height * kColumns};
  };
  const int rank = blockIdx.x % kCluster;  // which block of the cluster this is
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      s.full[i].init(1);
      s.empty[i].init(8 * kCluster);  // the consumers' warps of both blocks
    }
    hopper::fence_barriers();
  }
  hopper::synchronize_cluster();

  hopper::Ring<kStages> ring;
  if (consumer < 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0)
      for (int pair = blockIdx.x / kCluster; pair < down * across; pair += gridDim.x / kCluster) {
        const auto [row, column] = place(pair);
        for (int i = 0; i < steps; ++i, ring.next()) {
          hopper::Barrier& full = s.full[ring.stage];
          s.empty[ring.stage].wait(ring.parity ^ 1);
          full.arrive_expecting(sizeof s.a[0] + sizeof s.b[0]);
          hopper::load(s.a[ring.stage], map_a, row + rank * kRows, i * kDepth, full);
          hopper::load_multicast(s.b[ring.stage] + rank * kShare * kDepth, map_b,
                                 column + rank * kShare, i * kDepth, full, (1 << kCluster) - 1);
        }
      }
  } else {
    hopper::take_registers<232>();
    const int thread = threadIdx.x % 128, below = thread / 32 * 16 + lane % 16;  // row in a box
    for (int pair = blockIdx.x / kCluster; pair < down * across; pair += gridDim.x / kCluster) {
      const auto [row, column] = place(pair);
      float sum[hopper::kSums];
      int before = 0;
      for (int i = 0; i < steps; ++i, ring.next()) {
        s.full[ring.stage].wait(ring.parity);
        const std::uint64_t a = hopper::describe(s.a[ring.stage] + consumer * 64 * kDepth);
        const std::uint64_t b = hopper::describe(s.b[ring.stage]);
        hopper::begin();
        for (int j = 0; j < kDepth / 16; ++j)
          hopper::multiply<T>(sum, a + 2 * j, b + 2 * j, i + j > 0);
        hopper::commit();
        hopper::wait<1>();
        if (i > 0 && lane < kCluster) s.empty[before].arrive_at(lane);
        before = ring.stage;
      }
      hopper::wait<0>(sum);
      if (lane < kCluster) s.empty[before].arrive_at(lane);

#pragma unroll
      for (int part = 0; part < kColumns / 64; ++part) {
        T* const box = s.c[consumer][part % kBoxes];
        if (thread == 0) hopper::wait_for_stores<kBoxes - 1>();
        hopper::synchronize_warpgroup(1 + consumer);  // the box is free
#pragma unroll
        for (int j = 0; j < 8; j += 2) {  // 16 rows and 16 columns for each warp
          const float* x = sum + 32 * part + 4 * j;
          hopper::store_matrices(box + below * 64 + ((j + lane / 16) ^ below % 8) * 8,
                                 hopper::pack<T>(x[0], x[1]), hopper::pack<T>(x[2], x[3]),
                                 hopper::pack<T>(x[4], x[5]), hopper::pack<T>(x[6], x[7]));
        }
        hopper::fence_stores();
        hopper::synchronize_warpgroup(1 + consumer);  // the box is complete
        if (thread == 0)
          hopper::store(map_c, row + rank * kRows + 64 * consumer, column + 64 * part, box);
      }
    }
    if (thread == 0) hopper::wait_for_stores<0>();  // shared memory lives as long as its block
  }
  __syncwarp();
  hopper::synchronize_cluster();  // no block leaves while another may arrive at its barriers
#endif
}

auto make(const TensorCores::Args& p) {
  hopper::require(p.m, p.n, p.k);
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) {
    const auto kernel = multiply<T>;
    const int bytes = sizeof(Shared<T>);
    wb::allow_shared(kernel, bytes);
    const auto map_a = hopper::tensor_map<T>(a, p.m, p.k, kRows);
    const auto map_b = hopper::tensor_map<T>(b, p.n, p.k, kShare);
    const auto map_c = hopper::tensor_map<T>(c, p.m, p.n, 64);
    const wb::i64 pairs = (p.m + kPair - 1) / kPair * ((p.n + kColumns - 1) / kColumns);
    const int blocks = kCluster * std::min<wb::i64>(pairs, hopper::multiprocessors() / kCluster);
    return std::function([=](cudaStream_t stream) {
      kernel<<<blocks, kThreads, bytes, stream>>>(p.m, p.n, p.k, map_a, map_b, map_c);
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(TensorCores, optimized, make);
WB_NEEDS("9.0 alone");
