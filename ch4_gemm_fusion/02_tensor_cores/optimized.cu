// Against step3_mma: less stands between two multiplications.
// - A tile of 128 x 256, which eight warps make: each number from L2 is used 85 times, not 64.
// - While the tensor cores multiply 16 columns of k, `ldmatrix` brings the next 16 into a second
//   set of registers.
// - A stage is asked for in two parts, one per 16 columns, so that copies and multiplications take
//   turns. What is the same for all steps of a copy is worked out once (Copies).
// - C leaves in pieces of 16 bytes: four lanes exchange their pairs first (store).
// - 16 tiles of a column are made before those of the next one, so blocks that run at the same time
//   share what they read in L2 (08_l2_order).
// The wrappers of mma.sync and ldmatrix are in ../shared/mma.cuh, Copies and store in
// ../shared/mma_tile.cuh.
//
// Predict: Hopper has an instruction of its own, wgmma. How near to a Hopper's peak is mma.sync?
#include "../shared/mma_tile.cuh"
#include "../shared/product16.cuh"
#include "tensor_cores.h"

namespace {

constexpr int kRows = 128, kColumns = 256, kDepth = 32, kStages = 4, kThreads = 256, kGroup = 16;
constexpr int kA = kRows * kDepth, kB = kColumns * kDepth, kParts = kDepth / 16;
constexpr int kBytes = 2 * kStages * (kA + kB);  // 96 KiB: any card since 2020 has room

// `unit`: numbers that one copy brings, as the rows of A and B begin at multiples of so many.
template <int unit, class T>
__global__ void __launch_bounds__(kThreads, 1)
    multiply(int m, int n, int k, const T* a, const T* b, T* c) {
  extern __shared__ uint4 memory[];
  T* const stages = reinterpret_cast<T*>(memory);
  const int down = (m + kRows - 1) / kRows, across = (n + kColumns - 1) / kColumns;
  const int first = blockIdx.x / (kGroup * across) * kGroup, height = min(kGroup, down - first);
  const int in_group = blockIdx.x % (kGroup * across);
  const int row = (first + in_group % height) * kRows, column = in_group / height * kColumns;

  tensor::Copies<kThreads, kRows, kDepth, unit, T> copy_a(a, m, k, row, 0);
  tensor::Copies<kThreads, kColumns, kDepth, unit, T> copy_b(b, n, k, column, 0);
  int free = 0;  // the stage that is asked for
  const auto ask = [&](int part) {
    T* const stage = stages + free * (kA + kB);
    copy_a.ask(stage, part, kParts), copy_b.ask(stage + kA, part, kParts);
  };
  const auto end_step = [&] {
    tensor::commit();
    free = free + 1 == kStages ? 0 : free + 1;
    copy_a.go_right(), copy_b.go_right();  // to the right of the matrix there are zeros
  };

  // This warp's 64 x 64 sums, and its operands: columns 16 part and following of a stage.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int below = warp % 2 * 64, beside = warp / 2 * 64;
  float sum[4][8][4] = {};  // 4 x 8 pieces of 16 x 8
  unsigned x[2][4][4], y[2][4][4];
  const auto load = [&](int stage, int part) {
    T* const tile = stages + stage * (kA + kB);
    const T* const from_a = tensor::piece<kDepth>(tile, below + lane % 16, 2 * part + lane / 16);
    const T* const from_b = tensor::piece<kDepth>(tile + kA, beside + lane / 16 * 8 + lane % 8,
                                                  2 * part + lane / 8 % 2);
#pragma unroll
    for (int i = 0; i < 4; ++i) tensor::load(x[part % 2][i], from_a + 16 * i * kDepth);
#pragma unroll
    for (int i = 0; i < 4; ++i) tensor::load(y[part % 2][i], from_b + 16 * i * kDepth);
  };

  for (int i = 0; i < kStages - 1; ++i) {
    for (int part = 0; part < kParts; ++part) ask(part);
    end_step();
  }
  tensor::wait_for_copies<kStages - 2>();
  __syncthreads();
  load(0, 0);
  ask(0);
  int stage = 0;
  for (int step = 0; step < (k + kDepth - 1) / kDepth; ++step)
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      if (part + 1 == kParts) {  // what comes next is in the next stage
        end_step();
        tensor::wait_for_copies<kStages - 2>();  // this thread's part of it is there,
        __syncthreads();                         // all threads' parts are, and this one is free
        stage = stage + 1 == kStages ? 0 : stage + 1;
      }
      load(stage, (part + 1) % kParts);
      ask((part + 1) % kParts);
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          tensor::multiply<T>(&sum[i][2 * j], x[part % 2][i], y[part % 2][j]);
    }

#pragma unroll
  for (int i = 0; i < 4; ++i)
    tensor::store(reinterpret_cast<float(&)[32]>(sum[i]), c, m, n, row + below + 16 * i,
                  column + beside);
  tensor::wait_for_copies<0>();  // shared memory lives as long as its block
}

auto make(const TensorCores::Args& p) {
  if (std::max({p.m, p.n, p.k}) > 1 << 30) throw wb::Unsupported("too large: at most 2^30 rows");
  const wb::i64 tiles = (p.m + kRows - 1) / kRows * ((p.n + kColumns - 1) / kColumns);
  if (tiles >= 1ll << 31) throw wb::Unsupported("too large: at most 2^31 tiles");
  return [p, tiles](cudaStream_t stream) {
    if (tiles == 0) return;
    with_types(p, [&](auto a, auto b, auto c) {
      using T = std::remove_pointer_t<decltype(c)>;
      const auto kernel = p.k % 8 == 0   ? multiply<8, T>
                          : p.k % 2 == 0 ? multiply<2, T>
                                         : multiply<1, T>;
      wb::allow_shared(kernel, kBytes);
      kernel<<<tiles, kThreads, kBytes, stream>>>(p.m, p.n, p.k, a, b, c);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(TensorCores, optimized, make);
WB_NEEDS("8.0");
