// Against step 1, two things that belong together:
// - *Persistent*: as many blocks as multiprocessors, each makes one tile after the other. While the
//   consumers store a tile, the producer already fills the stages for the next.
// - *Grouped order*: the tiles that are made at one time share rows of A and columns of B in L2.
//   At 8192^3, 132 tiles side by side need 5 strips of A (of 128 rows) and all 32 of B (of 256); in
//   groups of 16 down they need 16 and 9.
//
// Predict: what does the order save in bytes from device memory, at 8192^3 and at 4096^3?
#include "../shared/hopper.cuh"
#include "../shared/product16.cuh"
#include "hopper_pipeline.h"

namespace {

constexpr int kRows = 128, kColumns = 256, kDepth = 64, kStages = 4, kThreads = 3 * 128;

template <class T> struct Shared {
  alignas(1024) T a[kStages][kRows * kDepth];
  alignas(1024) T b[kStages][kColumns * kDepth];
  hopper::Barrier full[kStages], empty[kStages];
};

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    multiply(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, T* c) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + kDepth - 1) / kDepth;
  const int down = (m + kRows - 1) / kRows, across = (n + kColumns - 1) / kColumns;
  // Where tile `index` begins: down a group of kGroup tiles, then the next column of tiles.
  const auto place = [&](int index) -> int2 {
    constexpr int kGroup = 16;
    const int first = index / (kGroup * across) * kGroup, height = min(kGroup, down - first);
    const int in_group = index % (kGroup * across);
    return {(first + in_group % height) * kRows, in_group / height * kColumns};
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      s.full[i].init(1);
      s.empty[i].init(8);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<kStages> ring;  // goes on from tile to tile
  if (consumer < 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        const auto [row, column] = place(tile);
        for (int i = 0; i < steps; ++i, ring.next()) {
          hopper::Barrier& full = s.full[ring.stage];
          s.empty[ring.stage].wait(ring.parity ^ 1);
          full.arrive_expecting(sizeof s.a[0] + sizeof s.b[0]);
          hopper::load(s.a[ring.stage], map_a, row, i * kDepth, full);
          hopper::load(s.b[ring.stage], map_b, column, i * kDepth, full);
        }
      }
  } else {
    hopper::take_registers<232>();
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
      const auto [row, column] = place(tile);
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
        if (i > 0 && lane == 0) s.empty[before].arrive();
        before = ring.stage;
      }
      hopper::wait<0>(sum);
      if (lane == 0) s.empty[before].arrive();  // the producer goes on while we store

      const int r = row + threadIdx.x % 128 / 32 * 16 + consumer * 64 + lane / 4;
      for (int j = 0; j < kColumns / 8; ++j)
        for (int half = 0; half < 2; ++half) {
          const int x = r + 8 * half, y = column + 8 * j + lane % 4 * 2;
          if (x < m && y < n)
            *reinterpret_cast<unsigned*>(c + std::int64_t{x} * n + y) =
                hopper::pack<T>(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
        }
    }
  }
#endif
}

auto make(const TensorCores::Args& p) {
  hopper::require(p.m, p.n, p.k);
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) {
    const auto kernel = multiply<T>;
    const int bytes = sizeof(Shared<T>);
    wb::allow_shared(kernel, bytes);
    const auto map_a = hopper::tensor_map<T>(a, p.m, p.k, kRows);
    const auto map_b = hopper::tensor_map<T>(b, p.n, p.k, kColumns);
    const wb::i64 tiles = (p.m + kRows - 1) / kRows * ((p.n + kColumns - 1) / kColumns);
    const int blocks = std::min<wb::i64>(tiles, hopper::multiprocessors());
    return std::function([=](cudaStream_t stream) {
      kernel<<<blocks, kThreads, bytes, stream>>>(p.m, p.n, p.k, map_a, map_b, c);
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(TensorCores, step2_persistent, make);
WB_NEEDS("9.0 alone");
