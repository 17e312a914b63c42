// Wrong kernels that a GPU runs without a word, most of the time: the emulated GPU names each
// fault, with the line of the kernel. And right ones, which it must not blame.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <gtest/gtest.h>

#include <cuda/atomic>
#include <vector>

#include "wb/cuda.h"

namespace {

constexpr int kThreads = 128;

// What the emulator says of a launch over an array of kThreads floats that holds 0, 1, 2 ...
class Simt : public testing::Test {
 protected:
  Simt() {
    cudaMalloc(&x_, kThreads * sizeof(float));
    cudaMalloc(&y_, kThreads * sizeof(float));
    cudaMalloc(&count_, sizeof(unsigned));
    std::vector<float> start(kThreads);
    for (int i = 0; i < kThreads; ++i) start[i] = static_cast<float>(i);
    cudaMemcpy(x_, start.data(), kThreads * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(count_, 0, sizeof(unsigned));
  }
  ~Simt() override {
    simt::take_fault();
    cudaFree(x_), cudaFree(y_), cudaFree(count_);
  }
  static std::string fault() {
    cudaDeviceSynchronize();
    return simt::take_fault();
  }
  // Whether the next fault is this one, in this file.
  static testing::AssertionResult tells(const char* what) {
    const std::string text = fault();
    if (text.find(what) != std::string::npos && text.find("simt_test.cu:") != std::string::npos)
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << "it says \"" << text << "\", not: " << what;
  }
  std::vector<float> result() const {
    std::vector<float> y(kThreads);
    cudaMemcpy(y.data(), y_, kThreads * sizeof(float), cudaMemcpyDeviceToHost);
    return y;
  }
  float *x_, *y_;
  unsigned* count_;
};

// ---- races

__global__ void no_barrier(const float* x, float* y) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}
TEST_F(Simt, ABarrierThatIsMissing) {
  no_barrier<<<1, kThreads>>>(x_, y_);  // who comes too early finds nothing there
  EXPECT_TRUE(tells("is a barrier or a start value missing"));
}

__global__ void barrier(const float* x, float* y) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}
TEST_F(Simt, ABarrierThatIsThere) {
  barrier<<<1, kThreads>>>(x_, y_);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(result()[3], kThreads - 4);
}

__global__ void overwritten(const float* x, float* y) {
  __shared__ float one;
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) one = x[i];
    __syncthreads();
    sum += one;  // the next round overwrites it
  }
  y[threadIdx.x] = sum;
}
TEST_F(Simt, SharedMemoryOverwrittenTooEarly) {
  overwritten<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("a race"));
}

__global__ void same_output(const float* x, float* y) { y[threadIdx.x / 2] = x[threadIdx.x]; }
TEST_F(Simt, TwoThreadsWriteOneElement) {
  same_output<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("a race: this line writes an element"));
}

__global__ void lost_addition(const float* x, float* y) { y[0] = y[0] + x[threadIdx.x]; }
TEST_F(Simt, AdditionsThatAreNotAtomic) {
  cudaMemset(y_, 0, kThreads * sizeof(float));
  lost_addition<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("a race"));
}

__global__ void neighbour_block(float* y) {
  if (threadIdx.x == 0) y[blockIdx.x] = 1;
  if (blockIdx.x > 0 && threadIdx.x == 0) y[64 + blockIdx.x] = y[blockIdx.x - 1];
}
TEST_F(Simt, ABlockReadsWhatAnotherWrites) {
  cudaMemset(y_, 0, kThreads * sizeof(float));
  neighbour_block<<<8, 32>>>(y_);
  EXPECT_TRUE(tells("another block"));
}

__global__ void last_block(const float* x, float* y, unsigned* count, bool fence) {
  y[blockIdx.x] = x[blockIdx.x];
  if (fence) __threadfence();
  if (atomicAdd(count, 1) != gridDim.x - 1) return;
  float sum = 0;
  for (int i = 0; i < static_cast<int>(gridDim.x); ++i) sum += y[i];
  y[kThreads - 1] = sum;
}
TEST_F(Simt, TheLastBlockNeedsAFence) {
  last_block<<<8, 1>>>(x_, y_, count_, true);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(result()[kThreads - 1], 28);
  cudaMemset(count_, 0, sizeof(unsigned));
  last_block<<<8, 1>>>(x_, y_, count_, false);
  EXPECT_TRUE(tells("a race: this line reads an element"));
}

__global__ void warp_synchronous(const float* x, float* y) {
  __shared__ float tile[32];
  tile[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = tile[threadIdx.x ^ 1];  // "a warp runs in step"
}
TEST_F(Simt, AWarpIsNotInStep) {
  warp_synchronous<<<1, 32>>>(x_, y_);
  EXPECT_NE(fault(), "");
}

// ---- barriers

__global__ void barrier_in_branch(float* y) {
  if (threadIdx.x < 64) __syncthreads();
  y[threadIdx.x] = 1;
}
TEST_F(Simt, ABarrierInABranch) {
  barrier_in_branch<<<1, kThreads>>>(y_);
  EXPECT_TRUE(tells("not all threads reach this barrier"));
}

__global__ void two_barriers(float* y) {
  if (threadIdx.x < 64)
    __syncthreads();
  else
    __syncthreads();
  y[threadIdx.x] = 1;
}
TEST_F(Simt, BarriersOfTwoBranches) {
  two_barriers<<<1, kThreads>>>(y_);
  EXPECT_TRUE(tells("not all threads reach this barrier"));
}

__global__ void early_return(const float* x, float* y, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= n) return;
  y[i] = x[i];
  __syncthreads();
  y[i] += y[n - 1 - i];
}
TEST_F(Simt, AReturnInFrontOfABarrier) {
  early_return<<<1, kThreads>>>(x_, y_, 100);
  EXPECT_TRUE(tells("has ended"));
}

__global__ void counts(float* y) {
  int sum = 0;
  for (int i = 0; i < 7; ++i) sum += __syncthreads_count(static_cast<int>(threadIdx.x) < i);
  y[threadIdx.x] = static_cast<float>(sum);
}
TEST_F(Simt, BarriersThatCount) {
  counts<<<1, kThreads>>>(y_);
  EXPECT_EQ(fault(), "");
  for (const float sum : result()) EXPECT_EQ(sum, 21);
}

__global__ void grid_barrier(float* y) {
  cooperative_groups::this_grid().sync();
  y[threadIdx.x] = 1;
}
TEST_F(Simt, ABarrierOfTheGridNeedsACooperativeLaunch) {
  grid_barrier<<<2, 32>>>(y_);
  EXPECT_TRUE(tells("cooperative launch"));
}

// ---- bounds

__global__ void one_too_far(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x + 1]; }
TEST_F(Simt, AReadBehindTheEnd) {
  one_too_far<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("just past the end of an array of 512 bytes"));
}

__global__ void in_front(float* y) { y[static_cast<int>(threadIdx.x) - 1] = 1; }
TEST_F(Simt, AWriteInFrontOfTheBegin) {
  in_front<<<1, kThreads>>>(y_);
  EXPECT_TRUE(tells("4 bytes before the start of an array of 512 bytes"));
}

__global__ void beyond_shared(float* y) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = 1;
  y[threadIdx.x] = dynamic[threadIdx.x];
}
TEST_F(Simt, MoreSharedMemoryThanWasAskedFor) {
  beyond_shared<<<1, kThreads, (kThreads - 1) * sizeof(float)>>>(y_);
  EXPECT_TRUE(tells("past the end of an array in shared memory"));
  beyond_shared<<<1, kThreads, kThreads * sizeof(float)>>>(y_);
  EXPECT_EQ(fault(), "");
}

__global__ void overflow(const float* x, float* y, int rows, int columns) {
  const int i = rows * columns + static_cast<int>(threadIdx.x);  // 2^31 and more
  y[threadIdx.x] = x[i];
}
TEST_F(Simt, AnIndexThatOverflows) {
  overflow<<<1, kThreads>>>(x_, y_, 1 << 16, 1 << 15);
  EXPECT_TRUE(tells("outside of every array"));
}

__global__ void of_host(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
TEST_F(Simt, MemoryOfTheHost) {
  std::vector<float> host(kThreads);
  of_host<<<1, kThreads>>>(host.data(), y_);
  EXPECT_TRUE(tells("outside of every array"));
}

// ---- what nothing has written

__global__ void not_written(float* y) {
  __shared__ float tile[kThreads];
  if (threadIdx.x % 2 == 0) tile[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];
}
TEST_F(Simt, SharedMemoryThatNothingHasWritten) {
  not_written<<<1, kThreads>>>(y_);
  EXPECT_TRUE(tells("reads shared memory that no thread has written"));
}

__global__ void of_block_before(float* y) {
  __shared__ float kept;
  if (blockIdx.x == 0 && threadIdx.x == 0) kept = 1;
  __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = kept;
}
TEST_F(Simt, SharedMemoryOfAnotherBlock) {
  of_block_before<<<4, 32>>>(y_);
  EXPECT_TRUE(tells("reads shared memory that no thread has written"));
}

// A kernel in between uses other shared memory: the block still finds nothing of an earlier launch.
__global__ void kept_from_before(float* y, bool write) {
  __shared__ float tile[kThreads];
  if (write) tile[threadIdx.x] = 1;
  y[threadIdx.x] = tile[threadIdx.x];
}
TEST_F(Simt, SharedMemoryOfALaunchBefore) {
  kept_from_before<<<1, kThreads>>>(y_, true);
  barrier<<<1, kThreads>>>(x_, y_);
  EXPECT_EQ(fault(), "");
  kept_from_before<<<1, kThreads>>>(y_, false);
  EXPECT_TRUE(tells("reads shared memory that no thread has written"));
}

__global__ void add_up(const float* x, float* y) { y[threadIdx.x] += x[threadIdx.x]; }
TEST_F(Simt, AnOutputThatIsReadFirst) {
  add_up<<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("reads an element that no thread has written"));
}

// ---- shuffles

__global__ void absent_lane(float* y) {
  const float own = static_cast<float>(threadIdx.x);
  if (threadIdx.x < 16) y[threadIdx.x] = __shfl_xor_sync(0xFFFFFFFFu, own, 1);
}
TEST_F(Simt, AShuffleThatNotAllLanesReach) {
  absent_lane<<<1, 32>>>(y_);
  EXPECT_TRUE(tells("which has ended"));
}

__global__ void half_warp(float* y) { y[threadIdx.x] = __shfl_down_sync(0xFFFFFFFFu, 1.0f, 1); }
TEST_F(Simt, AShuffleInABlockOfHalfAWarp) {
  half_warp<<<1, 16>>>(y_);
  EXPECT_TRUE(tells("which the block does not have"));
}

__global__ void left_out(float* y) {
  const unsigned mask = 0x0000FFFFu;
  y[threadIdx.x] = __shfl_sync(mask, 1.0f, 0);
}
TEST_F(Simt, AMaskThatLeavesOutWhoCalls) {
  left_out<<<1, 32>>>(y_);
  EXPECT_TRUE(tells("leaves this lane out"));
}

__global__ void of_absent(float* y) {
  if (threadIdx.x >= 16) return;
  y[threadIdx.x] = __shfl_sync(0x0000FFFFu, 1.0f, 20);
}
TEST_F(Simt, AShuffleFromALaneOutsideOfTheMask) {
  of_absent<<<1, 32>>>(y_);
  EXPECT_TRUE(tells("reads lane 20"));
}

__global__ void sum_of_warp(float* y) {
  float own = static_cast<float>(threadIdx.x);
  for (int by = 16; by > 0; by /= 2) own += __shfl_xor_sync(0xFFFFFFFFu, own, by);
  y[threadIdx.x] = own + static_cast<float>(__popc(__ballot_sync(0xFFFFFFFFu, threadIdx.x % 2)));
}
TEST_F(Simt, AWarpThatMeets) {
  sum_of_warp<<<1, 32>>>(y_);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(result()[7], 496 + 16);
}

// The tensor core's instruction on one tile, twice: a lane that comes late finds its operands still
// there.
__global__ void tile_product(float* c) {
  __shared__ alignas(16) __half a[16][16], b[8][16];
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  for (int i = lane; i < 16 * 16; i += 32) a[i / 16][i % 16] = __half(float(i % 7));
  for (int i = lane; i < 8 * 16; i += 32) b[i / 16][i % 16] = __half(float(i % 5));
  __syncwarp();
  unsigned x[4], y[2];
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&a[lane % 16][lane / 16 * 8]))));
  for (int i = 0; i < 2; ++i) y[i] = *reinterpret_cast<unsigned*>(&b[g][2 * t + 8 * i]);
  float sum[4] = {};
  for (int turn = 0; turn < 2; ++turn)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = sum[i];
}
TEST_F(Simt, ATileOfATensorCore) {
  tile_product<<<1, 32>>>(y_);
  EXPECT_EQ(fault(), "");
  const std::vector<float> c = result();
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column) {
      int want = 0;
      for (int k = 0; k < 16; ++k) want += (row * 16 + k) % 7 * ((column * 16 + k) % 5);
      ASSERT_EQ(c[row * 8 + column], 2 * want) << row << ", " << column;
    }
}

// ---- copies in the background

template <bool kWait, bool kBarrier> __global__ void staged(const float* x, float* y) {
  __shared__ float tile[kThreads];
  __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], sizeof(float));
  __pipeline_commit();
  if (kWait) __pipeline_wait_prior(0);
  if (kBarrier) __syncthreads();
  y[threadIdx.x] = tile[kBarrier ? kThreads - 1 - threadIdx.x : threadIdx.x];
}
TEST_F(Simt, ACopyThatIsWaitedFor) {
  staged<true, true><<<1, kThreads>>>(x_, y_);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(result()[0], kThreads - 1);
}
TEST_F(Simt, ACopyThatIsNotWaitedFor) {
  staged<false, true><<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("an asynchronous copy"));
}
TEST_F(Simt, ACopyWithoutABarrier) {
  staged<true, false><<<1, kThreads>>>(x_, y_);
  EXPECT_EQ(fault(), "");  // each thread reads its own
  staged<false, false><<<1, kThreads>>>(x_, y_);
  EXPECT_TRUE(tells("an asynchronous copy"));
}

// ---- addresses, launches, streams

__global__ void misaligned(const float* x, float4* y) {
  *y = *reinterpret_cast<const float4*>(x + 1);
}
TEST_F(Simt, AVectorThatIsNotAligned) {
  misaligned<<<1, 1>>>(x_, reinterpret_cast<float4*>(y_));
  EXPECT_TRUE(tells("not a multiple of 16"));
}

struct Two {  // of 8 bytes, aligned to 4
  float a, b;
};
__global__ void copy_two(const Two* x, Two* y) { *y = *x; }
TEST_F(Simt, AStructThatNeedsNoMoreAlignment) {
  copy_two<<<1, 1>>>(reinterpret_cast<Two*>(x_ + 1), reinterpret_cast<Two*>(y_ + 1));
  EXPECT_EQ(fault(), "");
}

struct Wide {  // of 16 bytes, aligned to 8
  long long n;
  float* y;
};
__device__ __noinline__ void store(Wide w) { *w.y = static_cast<float>(w.n); }
__global__ void takes_wide(long long, Wide w) { store(w); }
__global__ void takes_wide_first(Wide w, long long) { store(w); }
TEST_F(Simt, AParameterIsWhereItsTypeAllowsIt) {
  takes_wide<<<1, 1>>>(1, Wide{2, y_});
  EXPECT_EQ(fault(), "");
  takes_wide_first<<<1, 1>>>(Wide{2, y_}, 1);
  EXPECT_EQ(fault(), "");
}

TEST_F(Simt, LaunchesThatAGpuRefuses) {
  add_up<<<1, 2048>>>(x_, y_);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  simt::take_fault();
  add_up<<<dim3(1, 70000), 32>>>(x_, y_);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  simt::take_fault();
  add_up<<<1, 32, 64 << 10>>>(x_, y_);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

template <int kMore> __global__ void much_shared_memory(const float* x, float* y) {
  __shared__ float half[6 << 10];
  __shared__ float other_half[(6 << 10) + kMore];
  half[threadIdx.x] = other_half[threadIdx.x] = x[threadIdx.x];
  y[blockIdx.x * blockDim.x + threadIdx.x] = half[threadIdx.x] + other_half[threadIdx.x];
}
TEST_F(Simt, MoreSharedMemoryThanVariablesMayHave) {
  for (int i = 0; i < 2; ++i) {
    much_shared_memory<0><<<2, kThreads / 2>>>(x_, y_);
    EXPECT_EQ(fault(), "");
    much_shared_memory<1><<<2, kThreads / 2>>>(x_, y_);
    EXPECT_TRUE(tells("have 49156 bytes, and more than 49152 have to be dynamic"));
  }
}

TEST_F(Simt, AStreamThatDoesNotWait) {
  // Of 40 runs of a copy and a kernel on two streams, some have the kernel first.
  int early = 0;
  for (int i = 0; i < 40; ++i) {
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaMemsetAsync(x_, 0, kThreads * sizeof(float), one);
    of_host<<<1, kThreads, 0, one>>>(x_, y_);
    cudaMemsetAsync(x_, 0x3F, kThreads * sizeof(float), two);
    cudaStreamSynchronize(one);
    early += result()[0] != 0;
    cudaStreamDestroy(one), cudaStreamDestroy(two);
  }
  EXPECT_GT(early, 0);
  EXPECT_LT(early, 40);
}

__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
TEST_F(Simt, AGraphWhoseNodeGetsOtherArguments) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  twice<<<1, kThreads, 0, stream>>>(nullptr, y_);
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph);
  cudaGraphNode_t node = nullptr;
  std::size_t count = 1;
  cudaGraphGetRootNodes(graph, &node, &count);
  ASSERT_EQ(count, 1u);
  const float* from = x_;
  void* arguments[] = {&from, &y_};
  cudaKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(twice);
  parameters.blockDim = kThreads;
  parameters.kernelParams = arguments;
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), cudaSuccess);
  cudaGraphLaunch(executable, stream);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(result()[3], 6);
  parameters.blockDim = 2048;
  EXPECT_NE(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), cudaSuccess);
  cudaGraphExecDestroy(executable), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
}

// Blocks that wait for each other, in the order in which they take numbers.
__global__ void chain(const float* x, float* y, unsigned* count) {
  __shared__ unsigned own;
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(count[0]);
    own = blockIdx.x;
    while (taken.load(cuda::memory_order_acquire) != own) {
    }
    y[own] = x[own] + (own ? y[own - 1] : 0);
    taken.store(own + 1, cuda::memory_order_release);
  }
}
TEST_F(Simt, BlocksThatWaitForEachOther) {
  chain<<<8, 32>>>(x_, y_, count_);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(result()[7], 28);
}

// ---- tensor cores

// Of two products of a warp, the first one: a b^T with a[i][k] = i + k and b[j][k] = j - k, which
// come into registers by ldmatrix. A lane may have begun the second one before another lane has
// read its part of the first.
__global__ void products(float* sums) {
  __shared__ __align__(16) __half a[16][16], b[16][16];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32)
    a[i / 16][i % 16] = i / 16 + i % 16, b[i / 16][i % 16] = i / 16 - i % 16;
  __syncwarp();
  unsigned x[4], y[4];
  const auto load = [](unsigned(&to)[4], const __half* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
                 : "memory");
  };
  load(x, &a[lane % 16][lane / 16 * 8]);
  load(y, &b[lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
  float sum[2][4] = {};
  for (int j = 0; j < 2; ++j) {
    const unsigned* left = j ? y : x;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(y[0]), "r"(y[1]));
  }
  for (int i = 0; i < 4; ++i) sums[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sum[0][i];
}
TEST_F(Simt, ProductsOfAWarp) {
  products<<<1, 32>>>(y_);
  EXPECT_EQ(fault(), "");
  const std::vector<float> got = result();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float want = 0;
      for (int k = 0; k < 16; ++k) want += static_cast<float>((i + k) * (j - k));
      EXPECT_EQ(got[i * 8 + j], want) << i << " " << j;
    }
}

}  // namespace
