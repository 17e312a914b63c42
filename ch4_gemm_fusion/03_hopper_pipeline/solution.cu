// The exercise, solved: five stages. The producer runs up to five tiles ahead of the consumers, so
// the way from L2 is hidden. Each consumer has one product in flight while it starts the next, and
// frees a stage one step late, when the product that reads it is over.
#include "../shared/hopper.cuh"
#include "../shared/product16.cuh"
#include "hopper_pipeline.h"

namespace {

constexpr int kRows = 128, kColumns = 192, kDepth = 64, kStages = 5, kThreads = 3 * 128;

template <class T> struct Shared {
  alignas(1024) T a[kStages][kRows * kDepth];
  alignas(1024) T b[kStages][kColumns * kDepth];
  hopper::Barrier full[kStages], empty[kStages];
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
    for (int i = 0; i < kStages; ++i) s.full[i].init(1), s.empty[i].init(8);
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<kStages> ring;
  if (consumer < 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0)
      for (int i = 0; i < steps; ++i, ring.next()) {
        hopper::Barrier& full = s.full[ring.stage];
        s.empty[ring.stage].wait(ring.parity ^ 1);
        full.arrive_expecting(sizeof s.a[0] + sizeof s.b[0]);
        hopper::load(s.a[ring.stage], map_a, row, i * kDepth, full);
        hopper::load(s.b[ring.stage], map_b, column, i * kDepth, full);
      }
  } else {
    hopper::take_registers<232>();
    float sum[kColumns / 2];
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

WB_CUDA(RowScaled, solution, make);
WB_NEEDS("9.0 alone");
