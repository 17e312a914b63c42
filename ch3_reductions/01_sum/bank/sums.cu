// CUDA sums that go wrong between calls, blocks or warps; see sums.h.
#include "../../shared/ticket.cuh"
#include "../reduce.cuh"
#include "sums.h"

namespace {

constexpr int kBlockThreads = static_cast<int>(kBlockOfSum);
static_assert(kBlockThreads == bank::kBlock);

__device__ float element(const Total::Args& p, i64 i) { return i < p.n ? p.data()[i] : 0; }
__device__ i64 my_element() { return i64{blockIdx.x} * kBlockThreads + threadIdx.x; }

// The sums of blocks, at their places.
__global__ void sum_blocks(Total::Args p, float* of_block) {
  const float sum = block_reduce<Plus>(element(p, my_element()));
  if (threadIdx.x == 0) of_block[blockIdx.x] = sum;
}
// By one thread: their sum, which goes to `result`.
__global__ void sum_up(const float* of_block, unsigned n, float* result) {
  float sum = 0;
  for (unsigned i = 0; i < n; ++i) sum += of_block[i];
  *result = sum;
}

// In one launch, with the last block's help. With `reset` false its counter stays where it is.
__global__ void sum_at_once(Total::Args p, float* of_block, unsigned* arrived, bool reset) {
  float sum = block_reduce<Plus>(element(p, my_element()));
  if (threadIdx.x == 0) of_block[blockIdx.x] = sum;
  if (!is_last_block(arrived, gridDim.x)) return;
  sum = 0;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kBlockThreads)
    sum += __ldcg(of_block + block);
  sum = block_reduce<Plus>(sum);
  if (threadIdx.x == 0) *p.result = sum;
  if (threadIdx.x == 0 && !reset) *arrived = gridDim.x;
}

auto at_once(const Total::Args& p, bool reset) {
  return [p, reset, scratch = make_scratch(bank::blocks(p.n), 1)](cudaStream_t stream) {
    sum_at_once<<<bank::blocks(p.n), kBlockThreads, 0, stream>>>(p, scratch.left.get(),
                                                                 scratch.tickets.get(), reset);
  };
}
auto right_last_block(const Total::Args& p) { return at_once(p, true); }
auto counter_not_reset(const Total::Args& p) { return at_once(p, false); }
WB_BANK(Total, right_last_block, right);
WB_BANK(Total, counter_not_reset, wrong);

auto right_two_kernels(const Total::Args& p) {
  return [p, n = bank::blocks(p.n),
          of_block = wb::make_device_array<float>(bank::blocks(p.n))](cudaStream_t stream) {
    sum_blocks<<<n, kBlockThreads, 0, stream>>>(p, of_block.get());
    sum_up<<<1, 1, 0, stream>>>(of_block.get(), n, p.result);
  };
}
WB_BANK(Total, right_two_kernels, right);

// The second kernel runs before the first, so it adds the numbers of the call before. (The first
// call runs the first kernel before it, too.)
auto scratch_of_the_call_before(const Total::Args& p) {
  return [p, n = bank::blocks(p.n), first = true,
          of_block = wb::make_device_array<float>(bank::blocks(p.n))](cudaStream_t stream) mutable {
    if (first) sum_blocks<<<n, kBlockThreads, 0, stream>>>(p, of_block.get());
    sum_up<<<1, 1, 0, stream>>>(of_block.get(), n, p.result);
    sum_blocks<<<n, kBlockThreads, 0, stream>>>(p, of_block.get());
    first = false;
  };
}
WB_BANK(Total, scratch_of_the_call_before, wrong);

// No kernel sets the sum to 0. Memory that is new to a program is full of zeros more often than
// not, so the first call may well be right.
__global__ void add_to(Total::Args p, float* sum) {
  const float own = block_reduce<Plus>(element(p, my_element()));
  if (threadIdx.x == 0) atomicAdd(sum, own);
}
auto accumulator_that_is_usually_0(const Total::Args& p) {
  return [p, sum = wb::make_device_array<float>(1 << 20)](cudaStream_t stream) {
    add_to<<<bank::blocks(p.n), kBlockThreads, 0, stream>>>(p, sum.get());
    sum_up<<<1, 1, 0, stream>>>(sum.get(), 1, p.result);
  };
}
WB_BANK(Total, accumulator_that_is_usually_0, wrong);

// No barrier between the warps' sums and warp 0, which adds them up. The other warps sleep, so that
// it shows on each run; without that it shows on some.
__global__ void without_barrier(Total::Args p, float* of_block) {
  __shared__ volatile float of_warp[kBlockThreads / kWarp];
  if (threadIdx.x >= kWarp)
    for (int i = 0; i < 20; ++i) __nanosleep(1000);
  const float sum = warp_reduce<Plus>(element(p, my_element()));
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = sum;
  if (threadIdx.x > 0) return;
  float all = 0;
  for (const volatile float& s : of_warp) all += s;
  of_block[blockIdx.x] = all;
}
auto race_between_warps(const Total::Args& p) {
  return [p, n = bank::blocks(p.n),
          of_block = wb::make_device_array<float>(bank::blocks(p.n))](cudaStream_t stream) {
    without_barrier<<<n, kBlockThreads, 0, stream>>>(p, of_block.get());
    sum_up<<<1, 1, 0, stream>>>(of_block.get(), n, p.result);
  };
}
WB_BANK(Total, race_between_warps, wrong);

// All blocks read the sum before the others have added to it: += is no atomic addition. The last
// one, which has nothing to add, is the last to store what it read.
__global__ void add_without_atomics(Total::Args p, volatile float* sum) {
  const float own = block_reduce<Plus>(element(p, my_element()));
  if (threadIdx.x > 0) return;
  const float before = *sum;
  const int microseconds = blockIdx.x == gridDim.x - 1 ? 400 : 100;
  for (int i = 0; i < microseconds; ++i) __nanosleep(1000);
  *sum = before + own;
}
void race_between_blocks(const Total::Args& p, cudaStream_t stream) {
  WB_CHECK(cudaMemsetAsync(p.result, 0, sizeof(float), stream));
  add_without_atomics<<<bank::blocks(p.n) + 1, kBlockThreads, 0, stream>>>(p, p.result);
}
WB_BANK(Total, race_between_blocks, wrong);

}  // namespace
