// A producer and two consumers, as in step1_specialized, with a factor for each row of C
// (RowScaled) and a tile of 128 x 192. It is right, and slow: there is room for one pair of tiles
// alone. The producer waits until both consumers have read it, then the consumers wait until the
// next one is there. Each wait costs the way from L2.
//
// TODO 1: a pair of tiles is 40 KB, and a block can have 227 KB. Make a ring of as many stages as
//         fit, each with its own tiles and two barriers.
// TODO 2: go through the stages in turn. The parity of a wait changes once per round of the ring:
//         hopper::Ring counts both.
// TODO 3: queue a product before the one before it has ended (hopper::wait<1>), and free the stage
//         of that one.
// Goal: at most 1.4 times as long as step1_specialized at m=4096,n=4096,k=4096,dtype=bf16
// Hints are in README.md.
#include "../shared/hopper.cuh"
#include "../shared/product16.cuh"
#include "hopper_pipeline.h"

namespace {

constexpr int kRows = 128, kColumns = 192, kDepth = 64, kThreads = 3 * 128;

template <class T> struct Shared {
  alignas(1024) T a[kRows * kDepth];
  alignas(1024) T b[kColumns * kDepth];
  hopper::Barrier full, empty;
};

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    multiply(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, const float* scale, T* c) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + kDepth - 1) / kDepth;
  if (threadIdx.x == 0) {
    s.full.init(1);   // the producer announces bytes
    s.empty.init(8);  // eight warps are done with them
    hopper::fence_barriers();
  }
  __syncthreads();

  if (consumer < 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0)
      for (int i = 0; i < steps; ++i) {
        s.empty.wait(i % 2 ^ 1);  // the first time it is empty
        s.full.arrive_expecting(sizeof s.a + sizeof s.b);
        hopper::load(s.a, map_a, row, i * kDepth, s.full);
        hopper::load(s.b, map_b, column, i * kDepth, s.full);
      }
  } else {
    hopper::take_registers<232>();
    float sum[kColumns / 2];
    for (int i = 0; i < steps; ++i) {
      s.full.wait(i % 2);
      const std::uint64_t a = hopper::describe(s.a + consumer * 64 * kDepth);
      const std::uint64_t b = hopper::describe(s.b);
      hopper::begin();
      for (int j = 0; j < kDepth / 16; ++j)
        hopper::multiply<T>(sum, a + 2 * j, b + 2 * j, i + j > 0);
      hopper::commit();
      hopper::wait<0>(sum);
      if (lane == 0) s.empty.arrive();
    }

    const int r = row + threadIdx.x % 128 / 32 * 16 + consumer * 64 + lane / 4;
    for (int half = 0; half < 2; ++half) {
      const int x = r + 8 * half;
      const float factor = x < m ? scale[x] : 0;
      for (int j = 0; j < kColumns / 8; ++j) {
        const int y = column + 8 * j + lane % 4 * 2;
        if (x < m && y < n)
          *reinterpret_cast<unsigned*>(c + std::int64_t{x} * n + y) =
              hopper::pack<T>(factor * sum[4 * j + 2 * half], factor * sum[4 * j + 2 * half + 1]);
      }
    }
  }
#endif
}

auto make(const RowScaled::Args& p) {
  hopper::require(p.m, p.n, p.k);
  return with_types(p, [&]<class T>(const T* a, const T* b, T* c) {
    const auto kernel = multiply<T>;
    const int bytes = sizeof(Shared<T>);
    wb::allow_shared(kernel, bytes);
    const auto map_a = hopper::tensor_map<T>(a, p.m, p.k, kRows);
    const auto map_b = hopper::tensor_map<T>(b, p.n, p.k, kColumns);
    const dim3 grid((p.n + kColumns - 1) / kColumns, (p.m + kRows - 1) / kRows);
    return std::function([=, scale = p.scale](cudaStream_t stream) {
      kernel<<<grid, kThreads, bytes, stream>>>(p.m, p.n, p.k, map_a, map_b, scale, c);
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(RowScaled, exercise, make);
WB_NEEDS("9.0 alone");
