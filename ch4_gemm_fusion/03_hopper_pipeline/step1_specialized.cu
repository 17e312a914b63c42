// Against the baseline: *warp specialization*. One warpgroup, the producer, does nothing but ask
// for tiles; two others, the consumers, do nothing but multiply, 64 rows each. Four stages are
// between them, each with two barriers: `full` (the bytes are there) and `empty` (both have read
// them). So copies run ahead of products, and the next product is queued before one ends.
// - The tile is 128 x 256: each number from L2 serves 85 multiply-adds, in the baseline it was 51.
// - A consumer has 128 sums per thread. The producer gives back registers that it does not need.
//
// Predict: how many times as fast as the baseline? Which half of the gain is the pipeline's, which
// the tile's?
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
  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + kDepth - 1) / kDepth;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      s.full[i].init(1);   // the producer announces bytes
      s.empty[i].init(8);  // eight warps are done with them
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<kStages> ring;
  if (consumer < 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0)
      for (int i = 0; i < steps; ++i, ring.next()) {
        hopper::Barrier& full = s.full[ring.stage];
        s.empty[ring.stage].wait(ring.parity ^ 1);  // the first time round all are empty
        full.arrive_expecting(sizeof s.a[0] + sizeof s.b[0]);
        hopper::load(s.a[ring.stage], map_a, row, i * kDepth, full);
        hopper::load(s.b[ring.stage], map_b, column, i * kDepth, full);
      }
  } else {
    hopper::take_registers<232>();
    float sum[hopper::kSums];
    for (int i = 0; i < steps; ++i, ring.next()) {
      s.full[ring.stage].wait(ring.parity);
      const std::uint64_t a = hopper::describe(s.a[ring.stage] + consumer * 64 * kDepth);
      const std::uint64_t b = hopper::describe(s.b[ring.stage]);
      hopper::begin();
      for (int j = 0; j < kDepth / 16; ++j)
        hopper::multiply<T>(sum, a + 2 * j, b + 2 * j, i + j > 0);
      hopper::commit();
      hopper::wait<1>();  // the stage before this one has been read
      if (i > 0 && lane == 0) s.empty[(ring.stage + kStages - 1) % kStages].arrive();
    }
    hopper::wait<0>(sum);

    const int r = row + threadIdx.x % 128 / 32 * 16 + consumer * 64 + lane / 4;
    for (int j = 0; j < kColumns / 8; ++j)
      for (int half = 0; half < 2; ++half) {
        const int x = r + 8 * half, y = column + 8 * j + lane % 4 * 2;
        if (x < m && y < n)
          *reinterpret_cast<unsigned*>(c + std::int64_t{x} * n + y) =
              hopper::pack<T>(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
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
    const dim3 grid((p.n + kColumns - 1) / kColumns, (p.m + kRows - 1) / kRows);
    return std::function([=](cudaStream_t stream) {
      kernel<<<grid, kThreads, bytes, stream>>>(p.m, p.n, p.k, map_a, map_b, c);
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(TensorCores, step1_specialized, make);
WB_NEEDS("9.0 alone");
