// Against `step3_mma` of 02_tensor_cores: Hopper's own way. *TMA*, a copy engine, brings whole
// tiles: one thread asks, and a barrier in shared memory says when the bytes are there. *wgmma*:
// four warps together multiply 64 x 16 by 256 x 16, straight from shared memory, in one instruction
// that they need not wait for. No ldmatrix, no address arithmetic, and registers for nothing but
// sums.
//
// This kernel asks for a tile, waits, multiplies, waits. Three blocks share a multiprocessor.
//
// Predict: is it faster than that kernel, whose copies and products overlap?
#include "../shared/hopper.cuh"
#include "../shared/product16.cuh"
#include "hopper_pipeline.h"

namespace {

constexpr int kRows = 64, kColumns = 256, kDepth = 64, kThreads = 128;

template <class T> struct Shared {
  alignas(1024) T a[kRows * kDepth];
  alignas(1024) T b[kColumns * kDepth];
  hopper::Barrier full;
};

template <class T>
__global__ void __launch_bounds__(kThreads, 3)
    multiply(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, T* c) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    s.full.init(1);
    hopper::fence_barriers();
  }
  __syncthreads();

  float sum[hopper::kSums];
  for (int l = 0, parity = 0; l < k; l += kDepth, parity ^= 1) {
    if (threadIdx.x == 0) {
      s.full.arrive_expecting(sizeof s.a + sizeof s.b);
      hopper::load(s.a, map_a, row, l, s.full);
      hopper::load(s.b, map_b, column, l, s.full);
    }
    s.full.wait(parity);
    hopper::begin();
    const std::uint64_t a = hopper::describe(s.a), b = hopper::describe(s.b);
    for (int i = 0; i < kDepth / 16; ++i) hopper::multiply<T>(sum, a + 2 * i, b + 2 * i, l + i > 0);
    hopper::commit();
    hopper::wait<0>(sum);
    __syncthreads();  // before the next tile overwrites this one
  }

  const int r = row + 16 * warp + lane / 4;
  for (int j = 0; j < kColumns / 8; ++j)
    for (int half = 0; half < 2; ++half) {
      const int x = r + 8 * half, y = column + 8 * j + lane % 4 * 2;
      if (x < m && y < n)
        *reinterpret_cast<unsigned*>(c + std::int64_t{x} * n + y) =
            hopper::pack<T>(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
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
    const dim3 grid = wb::grid((p.n + kColumns - 1) / kColumns, (p.m + kRows - 1) / kRows);
    return std::function([=](cudaStream_t stream) {
      kernel<<<grid, kThreads, bytes, stream>>>(p.m, p.n, p.k, map_a, map_b, c);
      WB_CHECK(cudaGetLastError());
    });
  });
}

}  // namespace

WB_CUDA(TensorCores, baseline, make);
WB_NEEDS("9.0 alone");
WB_EXERCISE(RowScaled);
