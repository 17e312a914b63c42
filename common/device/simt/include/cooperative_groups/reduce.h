// cooperative_groups::reduce for tiles of a warp.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {  // the least
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {  // the greatest
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned kSize, class T, class F>
SIMT_INLINE T reduce(const thread_block_tile<kSize>& tile, T x, F f) {
  for (int by = kSize / 2; by > 0; by /= 2) x = f(x, tile.shfl_xor(x, by));
  return x;
}

}  // namespace cooperative_groups
