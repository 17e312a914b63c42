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
};
inline thread_block this_thread_block() { return {}; }

}  // namespace cooperative_groups
