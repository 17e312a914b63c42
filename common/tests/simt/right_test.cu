// Kernels that are right and unusual: the emulated GPU must not blame them, with any of five seeds.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include "simt/launches.h"

namespace {

namespace cg = cooperative_groups;
constexpr unsigned kAll = 0xFFFFFFFFu;

class Right : public Launches {
 protected:
  ~Right() override { cudaFree(flags_); }
  // Launches with five seeds; the first element of y is `want` after each.
  template <class F> void is_right(float want, F launch) {
    cudaMalloc(&flags_, 64 * sizeof(unsigned));
    for (int i = 0; i < 5; ++i) {
      cudaMemset(flags_, 0, 64 * sizeof(unsigned));
      launch();
      EXPECT_EQ(fault(), "");
      EXPECT_EQ(result()[0], want);
    }
  }
  unsigned* flags_ = nullptr;
};

// ---- warps

// 50 threads: the second warp has 18 lanes, of which some end at once.
__global__ void part_of_a_warp(const float* x, float* y) {
  __shared__ float tile[64];
  const unsigned low = __ballot_sync(kAll, threadIdx.x % 32 < 16);
  const bool all = __all_sync(kAll, threadIdx.x < 50), any = __any_sync(kAll, threadIdx.x == 49);
  const unsigned sum = __reduce_add_sync(kAll, 1u);
  if (threadIdx.x >= 48) return;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  const float neighbour = tile[threadIdx.x ^ 1];
  if (threadIdx.x != 32) return;
  y[0] = neighbour + static_cast<float>(__popc(low) + all + any) + static_cast<float>(sum);
}
TEST_F(Right, AWarpWithoutAllItsLanes) {
  is_right(33 + 16 + 2 + 18, [&] { part_of_a_warp<<<1, 50>>>(x_, y_); });
}

__global__ void tiles(const float* x, float* y) {
  __shared__ float sums[kThreads / 16];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const float sum = cg::reduce(tile, x[block.thread_rank()], cg::plus<float>());
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0)
    for (unsigned i = 1; i < tile.meta_group_size(); ++i) sums[0] += sums[i];
  if (block.thread_rank() == 0)
    y[0] = sums[0] + tile.shfl_down(0.0f, 1) * 0;
  else if (tile.meta_group_rank() == 0)
    tile.shfl_down(0.0f, 1);
}
TEST_F(Right, TilesOfAWarp) {
  is_right(kThreads * (kThreads - 1) / 2, [&] { tiles<<<1, kThreads>>>(x_, y_); });
}

// Each group of 16 lanes exchanges values in shared memory.
__global__ void groups(const float* x, float* y) {
  __shared__ float tile[32];
  const unsigned mask = threadIdx.x < 16 ? 0x0000FFFFu : 0xFFFF0000u;
  float sum = 0;
  for (int round = 0; round < 16; ++round) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncwarp(mask);
    sum += tile[(threadIdx.x & 16) + (threadIdx.x + round) % 16];
    __syncwarp(mask);
  }
  y[threadIdx.x] = sum + __shfl_sync(mask, sum, 3, 16) - __shfl_down_sync(mask, sum, 8, 16);
}
TEST_F(Right, HalvesOfAWarpForThemselves) {
  is_right(120, [&] { groups<<<1, 32>>>(x_, y_); });
}

__global__ void aggregated(float* y, unsigned* count) {
  if (threadIdx.x % 3 == 0) {
    const unsigned mask = __activemask();
    const int leader = __ffs(static_cast<int>(mask)) - 1;
    unsigned before = 0;
    if (static_cast<int>(threadIdx.x) % 32 == leader)
      before = atomicAdd(count, static_cast<unsigned>(__popc(mask)));
    __shfl_sync(mask, before, leader);
  }
  __syncthreads();
  if (threadIdx.x == 0) y[0] = static_cast<float>(atomicAdd(count, 0));
}
TEST_F(Right, AnAtomicForAllActiveLanes) {
  is_right(22, [&] { aggregated<<<1, 64>>>(y_, flags_); });
}

__global__ void meets_often(const float* x, float* y) {
  __shared__ float tile[32];
  for (int i = 0; i < 65530; ++i) __syncwarp();
  tile[threadIdx.x] = x[threadIdx.x];
  for (int i = 0; i < 10; ++i) __syncwarp();
  y[threadIdx.x] = tile[threadIdx.x ^ 1];
}
TEST_F(Right, MoreMeetingsThan16BitsCount) {
  meets_often<<<1, 32>>>(x_, y_);
  EXPECT_EQ(fault(), "");
}

// ---- atomics, flags and fences

template <class Take> __device__ void add_locked(float* sum, unsigned* lock, float x, Take take) {
  for (bool done = false; !done;)
    if (take(lock)) {
      __threadfence();
      *sum += x;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}
__global__ void locked(const float* x, float* y, unsigned* lock) {
  add_locked(y, lock, x[threadIdx.x], [](unsigned* l) { return atomicCAS(l, 0, 1) == 0; });
}
TEST_F(Right, ALockOfAtomicsAndFences) {
  is_right(3 * 32 * 31 / 2, [&] {
    cudaMemset(y_, 0, sizeof(float));
    locked<<<3, 32>>>(x_, y_, flags_);
  });
}

__global__ void volatile_flag(float* y, volatile unsigned* flag) {
  if (blockIdx.x == 1) {
    y[1 + threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) y[0] = y[1] + y[kThreads];
  }
}
TEST_F(Right, AVolatileFlagBetweenBlocks) {
  is_right(2, [&] { volatile_flag<<<2, kThreads>>>(y_, flags_); });
}

// The second warp waits for the first one.
__global__ void warps_in_turn(const float* x, float* y) {
  __shared__ unsigned ready;
  __shared__ float tile[32];
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
      __threadfence_block();
      atomicExch(&ready, 1);
    }
  } else {
    if (threadIdx.x == 32) {
      while (atomicAdd(&ready, 0) == 0) {
      }
      __threadfence_block();
    }
    __syncwarp();
    y[threadIdx.x - 32] = tile[63 - threadIdx.x];
  }
}
TEST_F(Right, AWarpThatWaitsForAnother) {
  is_right(31, [&] { warps_in_turn<<<1, 64>>>(x_, y_); });
}

// ---- shared memory

__global__ void reused(const float* x, float* y, int n) {
  __shared__ union {
    float floats[kThreads];
    int numbers[kThreads];
  } both;
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) sum += x[i];
  both.floats[threadIdx.x] = sum;
  __syncthreads();
  const float left = both.floats[kThreads - 1 - threadIdx.x];
  __syncthreads();
  both.numbers[threadIdx.x] = static_cast<int>(left);
  __syncthreads();
  if (threadIdx.x >= 2) return;
  y[threadIdx.x] = static_cast<float>(both.numbers[threadIdx.x ^ 1]);
}
TEST_F(Right, AUnionThatIsUsedTwiceAndAnEarlyEnd) {
  is_right(126 + 254 + 382, [&] { reused<<<1, kThreads>>>(x_, y_, 3 * kThreads); });
}

__global__ void two_types(const float* x, float* y) {
  extern __shared__ unsigned char memory[];
  auto* doubles = reinterpret_cast<double*>(memory);
  auto* shorts = reinterpret_cast<short*>(doubles + kThreads);
  doubles[threadIdx.x] = x[threadIdx.x];
  shorts[threadIdx.x] = static_cast<short>(threadIdx.x);
  __syncthreads();
  y[threadIdx.x] = static_cast<float>(doubles[threadIdx.x ^ 1] + shorts[threadIdx.x ^ 2]);
}
TEST_F(Right, DynamicMemoryOfTwoTypes) {
  is_right(3, [&] { two_types<<<1, kThreads, 10 * kThreads>>>(x_, y_); });
}

__global__ void two_stages(const float* x, float* y, int rounds) {
  __shared__ float tile[2][kThreads];
  const auto load = [&](int round) {
    if (round < rounds)
      __pipeline_memcpy_async(&tile[round % 2][threadIdx.x], x + round * kThreads + threadIdx.x, 4);
    __pipeline_commit();
  };
  float sum = 0;
  load(0);
  for (int round = 0; round < rounds; ++round) {
    load(round + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[round % 2][threadIdx.x ^ 1];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
TEST_F(Right, CopiesInTwoStages) {
  is_right(1 + 129 + 257 + 385, [&] { two_stages<<<1, kThreads>>>(x_, y_, 4); });
}

}  // namespace
