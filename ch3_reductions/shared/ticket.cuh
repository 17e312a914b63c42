// The block that is done last finishes what all have left: one launch in place of two.
#pragma once

#include <cuda/atomic>

#include "wb/cuda.h"

namespace {

// For a whole block that has stored what it leaves: whether it is the last of `all` to take a
// ticket. What the others stored is to be seen then. acq_rel is what makes it so: what stands
// before the addition comes before it for all (release; the barrier in front puts all of the
// block's threads there), and who sees the last number also sees what stood before the others'
// additions (acquire). __threadfence() would order more. A counter is 0 before a launch and after
// it.
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
