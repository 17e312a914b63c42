// Kernels with one fault each, as students of the book make them: most of them give right
// answers on a GPU. The emulated GPU has to name the fault, and the line, which ends in "// wrong".
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "simt/launches.h"

namespace {

class Students : public Launches {
 protected:
  static testing::AssertionResult tells(const char* what) {
    return Launches::tells(what, __FILE__);
  }
};

// ---- five races

__global__ void histogram(const float* x, float* y) {
  __shared__ unsigned count[8];
  if (threadIdx.x < 8) count[threadIdx.x] = 0;
  __syncthreads();
  ++count[static_cast<int>(x[threadIdx.x]) % 8];  // wrong
  __syncthreads();
  if (threadIdx.x < 8) y[threadIdx.x] = static_cast<float>(count[threadIdx.x]);
}
TEST_F(Students, CountInSharedMemoryWithoutAtomics) {
  histogram<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("a race"));
}

__device__ float sum_of_block(float value, float* of_warp) {
  for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, by);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;  // wrong
  __syncthreads();
  value = 0;
  for (int warp = 0; warp < kThreads / 32; ++warp) value += of_warp[warp];
  return value;
}
__global__ void variance(const float* x, float* y) {
  __shared__ float of_warp[kThreads / 32];
  const float mean = sum_of_block(x[threadIdx.x], of_warp) / kThreads;
  const float off = x[threadIdx.x] - mean;
  y[threadIdx.x] = sum_of_block(off * off, of_warp) / kThreads;
}
TEST_F(Students, UseTheSumsOfWarpsTwice) {
  variance<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("a race: this line writes shared memory"));
}

__global__ void transpose_in_place(float* x, int n) {
  const int row = blockIdx.x, column = threadIdx.x;
  const float own = x[row * n + column];  // wrong
  x[column * n + row] = own;              // wrong
}
TEST_F(Students, TransposeInPlaceWithoutPairs) {
  transpose_in_place<<<16, 16>>>(x_, 16);
  EXPECT_TRUE(tells("another block"));
}

__global__ void smooth(float* x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i > 0 && i < n - 1) x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;  // wrong
}
TEST_F(Students, SmoothInPlace) {
  smooth<<<4, kThreads>>>(x_, kCount);
  EXPECT_TRUE(tells("a race"));
}

__global__ void one_buffer(const float* x, float* y) {
  __shared__ float tile[kThreads];
  float sum = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = x[round * kThreads + threadIdx.x];  // wrong
    __syncthreads();
    for (int i = 0; i < kThreads; ++i) sum += tile[i];  // wrong
  }
  y[threadIdx.x] = sum;
}
TEST_F(Students, LoadTheNextTileOverTheOneInUse) {
  one_buffer<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("a race"));
}

// ---- three barriers

__global__ void rounds_of_threads(const float* x, float* y, int n) {
  __shared__ float tile[kThreads];
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += kThreads) {
    tile[threadIdx.x] = x[i];
    __syncthreads();  // wrong
    sum += tile[threadIdx.x ^ 1];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
TEST_F(Students, WaitInALoopThatEndsEarlierForSome) {
  rounds_of_threads<<<1, kThreads>>>(x_, y_, 3 * kThreads - 64);
  EXPECT_TRUE(tells("not all threads reach this barrier"));
}

__global__ void until_small(const float* x, float* y) {
  float own = x[threadIdx.x];
  for (int round = 0; round < 8; ++round) {
    if (own < 1) break;
    own /= 2;
    __syncthreads();  // wrong
  }
  y[threadIdx.x] = own;
}
TEST_F(Students, LeaveALoopWithABarrier) {
  until_small<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("not all threads reach this barrier"));
}

__global__ void first_warp_waits(const float* x, float* y) {
  __shared__ float sum;
  if (threadIdx.x < 32) {
    float own = x[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) own += __shfl_xor_sync(0xFFFFFFFFu, own, by);
    if (threadIdx.x == 0) sum = own;
    __syncthreads();  // wrong
  } else {
    __syncthreads();  // wrong
  }
  y[threadIdx.x] = sum;
}
TEST_F(Students, GiveEachBranchABarrier) {
  first_warp_waits<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("not all threads reach this barrier"));
}

// ---- four accesses out of bounds

__global__ void halo(const float* x, float* y) {
  __shared__ float tile[kThreads + 1];  // two are needed
  const int i = static_cast<int>(threadIdx.x);
  tile[i] = x[i];
  if (i < 2) tile[kThreads + i] = x[kThreads + i];  // wrong
  __syncthreads();
  y[i] = tile[i] + tile[i + 1] + tile[i + 2];  // wrong
}
TEST_F(Students, ForgetAnElementOfTheHalo) {
  halo<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("past the end of an array in shared memory"));
}

__global__ void sum_rows(const float* x, float* y, int rows, int columns) {
  const int row = static_cast<int>(threadIdx.x);
  float sum = 0;
  if (row >= rows) return;
  for (int column = 0; column < columns; ++column) sum += x[row * rows + column];  // wrong
  y[row] = sum;
}
TEST_F(Students, TakeRowsForThePitch) {
  sum_rows<<<1, kThreads>>>(x_, y_, 64, 8);
  EXPECT_TRUE(tells("outside of every array"));
}

__global__ void quads(const float4* x, float4* y, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (4 * i < n) y[i] = x[i];  // wrong
}
TEST_F(Students, LoadAWholeVectorAtTheEnd) {
  float* odd;
  cudaMalloc(&odd, 101 * sizeof(float));
  cudaMemset(odd, 0, 101 * sizeof(float));
  quads<<<1, 32>>>(reinterpret_cast<float4*>(odd), reinterpret_cast<float4*>(y_), 101);
  EXPECT_TRUE(tells("past the end, from byte"));
  cudaFree(odd);
}

__global__ void left_neighbour(const float* x, float* y) {
  __shared__ float tile[kThreads], sums[2];
  tile[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 2) sums[threadIdx.x] = 0;
  __syncthreads();
  y[threadIdx.x] = tile[static_cast<int>(threadIdx.x) - 1] + sums[0];  // wrong
}
TEST_F(Students, ReadInFrontOfATile) {
  left_neighbour<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("before the start of an array in shared memory"));
}

// ---- three values that nothing has written

__global__ void remainder_of_tile(const float* x, float* y, int n) {
  __shared__ float tile[kThreads];
  if (static_cast<int>(threadIdx.x) < n) tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < kThreads; ++i) sum += tile[i] * static_cast<float>(i < n);  // wrong
  y[threadIdx.x] = sum;
}
TEST_F(Students, MultiplyTheRestOfATileByZero) {
  remainder_of_tile<<<1, kThreads>>>(x_, y_, 100);
  EXPECT_TRUE(tells("reads shared memory that no thread has written"));
}

__global__ void atomic_sum(const float* x, float* y) {
  __shared__ float sum;
  atomicAdd(&sum, x[threadIdx.x]);  // wrong
  __syncthreads();
  if (threadIdx.x == 0) *y = sum;
}
TEST_F(Students, AddToASumThatHasNoStart) {
  atomic_sum<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("reads shared memory that no thread has written"));
}

__global__ void sums_of_blocks(const float* x, float* left) {
  if (threadIdx.x == 0) left[blockIdx.x] = x[blockIdx.x * blockDim.x];
}
__global__ void sum_of_sums(const float* left, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += left[i];  // wrong
  *y = sum;
}
TEST_F(Students, AddUpMoreSumsThanThereAreBlocks) {
  float* left;
  cudaMalloc(&left, 8 * sizeof(float));
  sums_of_blocks<<<7, 32>>>(x_, left);
  sum_of_sums<<<1, 1>>>(left, y_, 8);
  EXPECT_TRUE(tells("reads an element that no thread has written"));
  cudaFree(left);
}

// ---- three shuffles

__global__ void sum_where(const float* x, float* y, int n) {
  float own = 0;
  if (static_cast<int>(threadIdx.x) < n) {
    own = x[threadIdx.x];
    for (int by = 16; by > 0; by /= 2) own += __shfl_down_sync(0xFFFFFFFFu, own, by);  // wrong
  }
  __syncthreads();
  y[threadIdx.x] = own;
}
TEST_F(Students, ShuffleInsideTheGuard) {
  sum_where<<<1, 64>>>(x_, y_, 50);
  EXPECT_TRUE(tells("waits at"));
}

__global__ void last_of_warp(const float* x, float* y, int n) {
  const bool in = static_cast<int>(threadIdx.x) < n;
  const unsigned mask = __ballot_sync(0xFFFFFFFFu, in);
  if (in) y[threadIdx.x] = __shfl_sync(mask, x[threadIdx.x], 31);  // wrong
}
TEST_F(Students, TakeTheLastLaneThatIsNotThere) {
  last_of_warp<<<1, 64>>>(x_, y_, 50);
  EXPECT_TRUE(tells("reads lane 31, which its mask leaves out"));
}

__global__ void until_all(const float* x, float* y) {
  float own = x[threadIdx.x];
  while (own < 16) {
    own += 5;
    if (__all_sync(0xFFFFFFFFu, own > 3)) own += 1;  // wrong
  }
  y[threadIdx.x] = own;
}
TEST_F(Students, VoteInALoopThatLanesLeave) {
  until_all<<<1, 32>>>(x_, y_);
  EXPECT_TRUE(tells("waits for lane"));
}

// ---- three copies in the background

__global__ void not_committed(const float* x, float* y) {
  __shared__ float tile[kThreads];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], sizeof(float));
  __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // wrong
}
TEST_F(Students, WaitForACopyThatIsInNoGroup) {
  not_committed<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("an asynchronous copy"));
}

__global__ void two_stages(const float* x, float* y, int rounds) {
  __shared__ float tile[2][kThreads];
  const auto load = [&](int round) {
    const float* from = x + round * kThreads + threadIdx.x;
    __pipeline_memcpy_async(&tile[round % 2][threadIdx.x], from, sizeof(float));
    __pipeline_commit();
  };
  float sum = 0;
  load(0);
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) load(round + 1);
    __pipeline_wait_prior(1);  // of the last round's group nothing makes sure
    __syncthreads();
    sum += tile[round % 2][threadIdx.x ^ 1];  // wrong
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
TEST_F(Students, LetTheLastGroupGoOn) {
  two_stages<<<1, kThreads>>>(x_, y_, 4);
  EXPECT_TRUE(tells("an asynchronous copy"));
}

__global__ void next_copy_too_early(const float* x, float* y) {
  __shared__ float tile[kThreads];
  float sum = 0;
  for (int round = 0; round < 4; ++round) {
    const float* from = x + round * kThreads + threadIdx.x;
    __pipeline_memcpy_async(&tile[threadIdx.x], from, sizeof(float));  // wrong
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += tile[kThreads - 1 - threadIdx.x];  // wrong
  }
  y[threadIdx.x] = sum;
}
TEST_F(Students, BeginACopyIntoATileInUse) {
  next_copy_too_early<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("shared memory that"));
}

// ---- addresses and launches

__global__ void pairs(const __half2* x, __half2* y) { y[threadIdx.x] = x[threadIdx.x]; }  // wrong
TEST_F(Students, LoadPairsFromAnOddElement) {
  auto* late = reinterpret_cast<__half*>(x_) + 1;
  pairs<<<1, 32>>>(reinterpret_cast<const __half2*>(late), reinterpret_cast<__half2*>(y_));
  EXPECT_TRUE(tells("not a multiple of 4"));
}

__global__ void of_row(const float* x, float* y, int row, int columns) {
  y[threadIdx.x] = x[row * columns + threadIdx.x];  // wrong
}
TEST_F(Students, CountElementsIn32Bits) {  // row 65,536 of 65,536 columns would be element 0
  of_row<<<1, 32>>>(x_, y_, 1 << 16, (1 << 15) + 1);
  EXPECT_TRUE(tells("outside of every array"));
}

TEST_F(Students, LaunchWhatAGpuRefuses) {
  sum_of_sums<<<0, 32>>>(x_, y_, 8);  // of an array without elements
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  simt::take_fault();
  sum_of_sums<<<1, dim3(32, 64)>>>(x_, y_, 8);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  simt::take_fault();
  sum_of_sums<<<1, dim3(1, 1, 128)>>>(x_, y_, 8);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

}  // namespace
