// The block that is done last combines the values of all blocks: one launch instead of two.
#pragma once

#include <cuda/atomic>

#include "wb/cuda.h"

namespace {

// For a whole block that has stored its values: whether it is the last of `all` blocks to take a
// ticket. If so, it sees what the other blocks stored. acq_rel makes sure of that: a block's stores
// come before its addition for every thread (release; the barrier makes this hold for the stores of
// all its threads), and the block that gets the last number also sees the stores before the other
// additions (acquire). __threadfence() would order more. A counter is 0 before and after a launch.
__device__ inline bool is_last_block(unsigned* tickets, unsigned all) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*tickets);
    last = count.fetch_add(1, cuda::memory_order_acq_rel) == all - 1;
    if (last) count.store(0, cuda::memory_order_relaxed);  // for the next launch
  }
  __syncthreads();
  return last;
}

// Made in set-up, one for each callable: two streams need two. A launch that is refused runs no
// block, so it leaves the tickets at 0, too.
struct Scratch {
  std::shared_ptr<float[]> left;
  std::shared_ptr<unsigned[]> tickets;
};
inline Scratch make_scratch(wb::i64 values, wb::i64 tickets) {
  return {wb::make_device_array<float>(values), wb::make_device_zeros<unsigned>(tickets)};
}

}  // namespace
