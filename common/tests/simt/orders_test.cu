// More wrong kernels, of kinds that students_test.cu does not have. Most are wrong in the order of
// threads, lanes or blocks; each is caught with each of five seeds.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "simt/launches.h"

namespace {

constexpr unsigned kAll = 0xFFFFFFFFu;

class Orders : public Launches {
 protected:
  template <class F> static void each_seed_tells(const char* what, F launch) {
    for (int i = 0; i < 5; ++i) {
      launch();
      EXPECT_TRUE(tells(what, __FILE__));
    }
  }
  void SetUp() override { clear(); }
  ~Orders() override { cudaFree(flags_); }
  void clear() { cudaMemset(flags_, 0, 64 * sizeof(unsigned)); }
  unsigned* flags_ = [] {
    unsigned* flags;
    cudaMalloc(&flags, 64 * sizeof(unsigned));
    return flags;
  }();
};

// ---- between blocks

__global__ void last_block(const float* x, float* y, unsigned* count) {
  __shared__ bool last;
  y[blockIdx.x * kThreads + threadIdx.x] = x[threadIdx.x];  // wrong
  if (threadIdx.x == 0) {  // the other threads may still be in front of their store
    __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) y[threadIdx.x] += y[kThreads + threadIdx.x];  // wrong
}
TEST_F(Orders, OneThreadCountsABlockThatHasNotFinished) {
  each_seed_tells("a race", [&] {
    clear();
    last_block<<<2, kThreads>>>(x_, y_, flags_);
  });
}

__device__ void wait_for(unsigned* flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
  __threadfence();
}

__global__ void flag_first(float* y, unsigned* flag) {
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(flag, 1);
    y[0] = 1;  // wrong
  } else {
    wait_for(flag);
    y[1] = y[0];  // wrong
  }
}
TEST_F(Orders, SetTheFlagBeforeTheData) {
  cudaMemset(y_, 0, sizeof(float));
  each_seed_tells("a race", [&] {
    clear();
    flag_first<<<2, 1>>>(y_, flags_);
  });
}

__global__ void narrow_fence(float* y, unsigned* flag) {
  if (blockIdx.x == 0) {
    y[0] = 1;  // wrong
    __threadfence_block();
    atomicExch(flag, 1);
  } else {
    wait_for(flag);
    y[1] = y[0];  // wrong
  }
}
TEST_F(Orders, AFenceOfTheBlockForAnotherBlock) {
  each_seed_tells("a race", [&] {
    clear();
    narrow_fence<<<2, 1>>>(y_, flags_);
  });
}

__global__ void one_waits(float* y, unsigned* flag) {
  if (blockIdx.x == 0) {
    y[threadIdx.x] = 1;  // wrong
    __syncthreads();
    __threadfence();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0) wait_for(flag);
    y[kThreads + threadIdx.x] = y[threadIdx.x];  // wrong
  }
}
TEST_F(Orders, OneThreadWaitsAndTheOthersDoNot) {
  cudaMemset(y_, 0, kCount * sizeof(float));
  each_seed_tells("a race", [&] {
    clear();
    one_waits<<<2, kThreads>>>(y_, flags_);
  });
}

__global__ void differences(float* x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float step = (i + 1 < n ? x[i + 1] : 0) - x[i];  // wrong
  __syncthreads();
  x[i] = step;  // wrong
}
TEST_F(Orders, DifferencesInPlaceWithABarrierOfTheBlock) {
  each_seed_tells("another block", [&] { differences<<<2, kThreads>>>(x_, 2 * kThreads); });
}

__device__ unsigned total;
__global__ void count_positive(const float* x) {
  if (x[threadIdx.x] > 0) ++total;  // wrong
}
TEST_F(Orders, CountInAVariableOfTheDevice) {
  each_seed_tells("a race", [&] { count_positive<<<2, 32>>>(x_); });
}

__global__ void never_set(float* y, unsigned* flag) {
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) != gridDim.x) {  // wrong
    }
  y[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
TEST_F(Orders, WaitForAFlagThatNoThreadSets) {
  never_set<<<2, 32>>>(y_, flags_);
  EXPECT_TRUE(tells("never ends", __FILE__));
}

// ---- within a block

__global__ void halves(const float* x, float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = 0;
  __syncwarp();
  tile[threadIdx.x] = x[threadIdx.x];  // wrong
  __syncwarp(threadIdx.x < 16 ? 0x0000FFFFu : 0xFFFF0000u);
  y[threadIdx.x] = tile[threadIdx.x ^ 16];  // wrong
}
TEST_F(Orders, EachHalfOfAWarpWaitsForItself) {
  each_seed_tells("a race", [&] { halves<<<1, 32>>>(x_, y_); });
}

__global__ void volatile_tree(const float* x, float* y) {
  __shared__ volatile float sums[64];
  sums[threadIdx.x] = x[threadIdx.x];  // wrong
  sums[threadIdx.x + 32] = 0;
  for (int by = 16; by > 0; by /= 2) sums[threadIdx.x] += sums[threadIdx.x + by];  // wrong
  y[threadIdx.x] = sums[threadIdx.x];
}
TEST_F(Orders, VolatileInsteadOfSyncwarp) {
  for (int i = 0; i < 5; ++i) {
    volatile_tree<<<1, 32>>>(x_, y_);
    EXPECT_NE(fault(), "");
  }
}

__global__ void two_calls(float* y) {
  float own = static_cast<float>(threadIdx.x);
  if (threadIdx.x < 16)
    own = __shfl_sync(kAll, own, 0);  // wrong
  else
    own = __shfl_xor_sync(kAll, own, 1);  // wrong
  y[threadIdx.x] = own;
}
TEST_F(Orders, TwoShufflesOfTwoBranches) {
  each_seed_tells("must make the same call", [&] { two_calls<<<1, 32>>>(y_); });
}

__global__ void believes_in_step(float* y) {
  const unsigned mask = __activemask();              // "all 32"
  y[threadIdx.x] = __shfl_xor_sync(mask, 1.0f, 16);  // wrong
}
TEST_F(Orders, TakeTheActiveLanesForTheWarp) {
  each_seed_tells("which its mask leaves out", [&] { believes_in_step<<<1, 32>>>(y_); });
}

// ---- addresses

__global__ void far_behind(const float* x, float* y, int rows) {
  __shared__ float tile[32][33];
  for (int row = 0; row < 32; ++row) tile[row][threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = tile[rows + 8][threadIdx.x];  // wrong
}
TEST_F(Orders, ReadARowThatTheTileDoesNotHave) {
  each_seed_tells("shared memory", [&] { far_behind<<<1, 32>>>(x_, y_, 32); });
}

__global__ void odd_pitch(float* y) {
  __shared__ alignas(16) __half tile[16][17];
  for (int i = static_cast<int>(threadIdx.x); i < 16 * 17; i += 32)
    tile[i / 17][i % 17] = __half(1.0f);
  __syncwarp();
  unsigned a[4];
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x % 16][0]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // wrong
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(row));
  y[threadIdx.x] = static_cast<float>(a[0]);
}
TEST_F(Orders, RowsOfAMatrixThatAreNotAligned) {
  each_seed_tells("of 16", [&] { odd_pitch<<<1, 32>>>(y_); });
}

__global__ void three_at_once(const float* x, float* y) {
  __shared__ float tile[3 * 32];
  __pipeline_memcpy_async(&tile[3 * threadIdx.x], &x[3 * threadIdx.x], 12);  // wrong
  __pipeline_commit();
  __pipeline_wait_prior(0);
  y[threadIdx.x] = tile[3 * threadIdx.x];
}
__global__ void the_wrong_way(const float* x, float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  __pipeline_memcpy_async(&y[threadIdx.x], &tile[threadIdx.x], 4);  // wrong
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
TEST_F(Orders, CopiesThatAGpuCannotMake) {
  each_seed_tells("4, 8 or 16 bytes", [&] { three_at_once<<<1, 32>>>(x_, y_); });
  each_seed_tells("shared memory", [&] { the_wrong_way<<<1, 32>>>(x_, y_); });
}

__global__ void lends_its_variable(float* y) {
  __shared__ float* lent;
  float own[2] = {1, 2};
  if (threadIdx.x == 0) lent = own;
  __syncthreads();
  y[threadIdx.x] = lent[threadIdx.x % 2];  // wrong
  __syncthreads();
}
TEST_F(Orders, ReadALocalVariableOfAnotherThread) {
  each_seed_tells("outside of every array", [&] { lends_its_variable<<<1, 32>>>(y_); });
}

// ---- calls of the host

__global__ void everywhere(float* y) {
  cooperative_groups::this_grid().sync();
  y[blockIdx.x] = 1;
}
TEST_F(Orders, MoreBlocksThanCanMeet) {
  void* arguments[] = {&y_};
  EXPECT_NE(
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(everywhere), kCount, 1024, arguments),
      cudaSuccess);
}

TEST_F(Orders, CopyMoreThanAnArrayHolds) {
  std::vector<float> host(2 * kCount);
  EXPECT_EQ(cudaMemcpy(y_, host.data(), 2 * kCount * sizeof(float), cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  simt::take_fault();
  EXPECT_EQ(cudaMemset(y_ + 1, 0, kCount * sizeof(float)), cudaErrorInvalidValue);
}

}  // namespace
