// One launch in which the block that is done last adds up what the others left.
#pragma once

#include <cuda/atomic>

#include "reduce.cuh"

namespace {

// Made in set-up, one for each callable: two streams need two. `arrived` is 0 before a launch and
// after it. A launch that is refused runs no block, so it leaves 0, too.
struct Scratch {
  std::shared_ptr<float[]> of_block;
  std::shared_ptr<unsigned[]> arrived;
};
inline Scratch make_scratch(unsigned values) {
  return {wb::make_device_array<float>(values), wb::make_device_zeros<unsigned>(1)};
}

// For warp 0 of a block, once its lane 0 has stored what the block has to tell. True in the block
// that arrives last: all that the others stored is to be seen then. acq_rel is what makes it so:
// what stands before the addition comes before it for all (release), and who sees the last number
// also sees what stood before the others' additions (acquire). __threadfence() would order more.
__device__ inline bool is_last_block(unsigned* arrived) {
  unsigned before = 0;
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*arrived);
    before = count.fetch_add(1, cuda::memory_order_acq_rel);
    if (before == gridDim.x - 1) count.store(0, cuda::memory_order_relaxed);  // for the next launch
  }
  __syncwarp();
  return __shfl_sync(0xFFFF'FFFFu, before, 0) == gridDim.x - 1;
}

// For a whole warp: what the blocks left, in the order of their numbers, whoever was done first.
// All loads of a lane are in flight together (__ldcg: from L2, where the others' stores are).
template <class Op> __device__ float reduce_blocks(const float* of_block) {
  constexpr int kLoads = 8;
  float sum = Op::kNothing;
  for (unsigned first = threadIdx.x; first < gridDim.x; first += kLoads * kWarp) {
    float value[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j)
      value[j] =
          first + j * kWarp < gridDim.x ? __ldcg(of_block + first + j * kWarp) : Op::kNothing;
#pragma unroll
    for (int j = 0; j < kLoads; ++j) sum = Op::of(sum, value[j]);
  }
  return warp_reduce<Op>(sum);
}

// Few blocks where there is little to read: each is one more to wait for. First one for each
// multiprocessor, then kLoads packs for each thread, then more blocks: up to kPerMultiprocessor,
// and never more than `wave`, what the device holds at a time.
template <int kThreads, int kLoads, int kPerMultiprocessor>
unsigned few_blocks(wb::i64 packs, unsigned wave) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const unsigned all = multiprocessors;
  const unsigned one_each = std::min(blocks(packs, kThreads), all);
  const unsigned full = blocks(packs, kThreads * kLoads);
  return std::clamp(std::max(one_each, full), 1u, std::min(wave, all * kPerMultiprocessor));
}

}  // namespace
