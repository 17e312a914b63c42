// Neighbouring elements, such as several short rows, that a block has in shared memory. They come
// from memory and go back in packs of 16 bytes, though they may begin and end anywhere, because
// they begin as far after a multiple of 16 bytes there as they do in memory. Elements before the
// first pack and after the last one come one by one, at most one per thread.
#pragma once

#include <cuda_pipeline.h>

#include <cstdint>

namespace {

template <class T> struct Run {
  static constexpr int kPack = 16 / sizeof(T);
  int begin, end;     // counted from such an address, in memory and in shared memory
  int first, behind;  // packs
  int single;         // this thread's, or -1

  // The block has 2 * kPack threads at least.
  __device__ Run(const T* from, int count) {
    begin = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16 / sizeof(T));
    end = begin + count, first = (begin + kPack - 1) / kPack, behind = end / kPack;
    const int thread = static_cast<int>(threadIdx.x), head = min(first * kPack, end);
    const bool in_front = thread < kPack;
    single = in_front ? begin + thread : max(behind * kPack, head) + thread - kPack;
    if (single >= (in_front ? head : end)) single = -1;
  }
  // What is asked for is there after wait(). `stage` begins at a multiple of 16 bytes, and has room
  // for kPack - 1 elements more than the run.
  __device__ void ask(T* stage, const T* from) const {
    from -= begin;
    for (int i = first + static_cast<int>(threadIdx.x); i < behind; i += blockDim.x)
      __pipeline_memcpy_async(stage + i * kPack, from + i * kPack, 16);  // past the registers
    if (single >= 0) stage[single] = from[single];
  }
  static __device__ void wait() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  // After a barrier.
  __device__ void store(const T* stage, T* to) const {
    to -= begin;
    for (int i = first + static_cast<int>(threadIdx.x); i < behind; i += blockDim.x)
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(stage)[i];
    if (single >= 0) to[single] = stage[single];
  }
};

}  // namespace
