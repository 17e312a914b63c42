// Rows that wait in shared memory. Each thread copies the packs that it will need itself into its
// own places there, its slots, and goes on with other work meanwhile. No other thread reads them,
// so no barrier is needed: a thread only waits until its own copies have arrived. (Copies are
// asynchronous from compute capability 8.0 on, and ordinary ones before.)
#pragma once

#include "sums.cuh"

namespace {

extern __shared__ uint4 slot_memory[];

// Of the 16 bytes of a pack, or of 4 where addresses allow no more. "memory": the compiler moves no
// access of ours to the other side of these.
template <class Words> __device__ void copy_async(Words* slot, const void* from) {
  static_assert(sizeof(Words) == 4 || sizeof(Words) == 16);
#if __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(slot));
  if constexpr (sizeof(Words) == 16)  // past L1: "cg", which takes no fewer bytes
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
#else
  *slot = *static_cast<const Words*>(from);
#endif
}
__device__ inline void end_group() {  // of copies that are waited for together
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until no more than the newest kPending groups are on their way. (The instruction has
// the number in itself: one that is known only when the kernel runs would need a branch for each.)
template <int kPending> __device__ void wait_for_all_but() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}

// Slot `i` of this thread, for a pack of that type, in a block of kRows rows of threads.
template <class Pack, int kRows> __device__ auto* slot(int i) {
  const int threads = static_cast<int>(blockDim.x);
  const int own = (kRows == 1 ? 0 : static_cast<int>(threadIdx.y)) * threads;
  return reinterpret_cast<decltype(Pack::words)*>(slot_memory) + i * kRows * threads + own +
         static_cast<int>(threadIdx.x);
}
template <class Pack, int kRows> __device__ Pack pack_in(int i) { return {*slot<Pack, kRows>(i)}; }

}  // namespace
