// The groups of threads that lessons and students use: a block, a tile of a warp, the grid.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

struct grid_group {
  SIMT_INLINE void sync() const { simt::grid_barrier(); }
};
inline grid_group this_grid() { return {}; }

struct thread_block {
  SIMT_INLINE void sync() const { simt::block_barrier(); }
  unsigned thread_rank() const { return static_cast<unsigned>(simt::linear_thread()); }
  unsigned size() const {
    return simt::block_size().x * simt::block_size().y * simt::block_size().z;
  }
  unsigned num_threads() const { return size(); }
  simt::Index thread_index() const { return simt::thread_index(); }
  simt::Index group_index() const { return simt::block_index(); }
};
inline thread_block this_thread_block() { return {}; }

// `kSize` neighbouring lanes of a warp: 1, 2, 4 ... 32.
template <unsigned kSize, class = void> struct thread_block_tile {
  static_assert(kSize <= 32 && (kSize & (kSize - 1)) == 0);
  unsigned thread_rank() const { return static_cast<unsigned>(simt::linear_thread()) % kSize; }
  unsigned meta_group_rank() const { return static_cast<unsigned>(simt::linear_thread()) / kSize; }
  unsigned meta_group_size() const { return (thread_block().size() + kSize - 1) / kSize; }
  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  SIMT_INLINE void sync() const { __syncwarp(mask()); }
  template <class T> SIMT_INLINE T shfl(T x, int from) const {
    return __shfl_sync(mask(), x, from, kSize);
  }
  template <class T> SIMT_INLINE T shfl_xor(T x, int bits) const {
    return __shfl_xor_sync(mask(), x, bits, kSize);
  }
  template <class T> SIMT_INLINE T shfl_down(T x, unsigned by) const {
    return __shfl_down_sync(mask(), x, by, kSize);
  }
  template <class T> SIMT_INLINE T shfl_up(T x, unsigned by) const {
    return __shfl_up_sync(mask(), x, by, kSize);
  }
  SIMT_INLINE unsigned ballot(int yes) const { return __ballot_sync(mask(), yes) >> first(); }
  SIMT_INLINE int any(int yes) const { return __any_sync(mask(), yes); }
  SIMT_INLINE int all(int yes) const { return __all_sync(mask(), yes); }

 private:
  static unsigned first() { return static_cast<unsigned>(simt::lane_index()) & ~(kSize - 1); }
  static unsigned mask() { return (~0u >> (32 - kSize)) << first(); }
};
template <unsigned kSize, class Group> thread_block_tile<kSize> tiled_partition(const Group&) {
  return {};
}

}  // namespace cooperative_groups
