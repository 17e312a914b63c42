// The arguments of a product of fused_gemm.cuh and fused_mma.cuh: an epilogue, which changes its
// sums, and the order in which its tiles are made.
#pragma once

namespace fused {

// The tile of `down` x `across` that is made as number `index`: down a group of kGroup tiles, then
// the next column of them. (08_l2_order says why, and has other orders.)
struct Grouped {
  static constexpr int kGroup = 16;
  __device__ int2 operator()(int index, int down, int across) const {
    const int first = index / (kGroup * across) * kGroup, height = min(kGroup, down - first);
    const int in_group = index % (kGroup * across);
    return {first + in_group % height, in_group / height};
  }
};

// An epilogue that looks at two neighbouring sums. A thread has its own copy. The second may be in
// column n, where there is nothing: what it becomes is not stored.
template <class F> struct ByColumn {
  F f;
  // Before apply(), to load what it will take: this thread's sums are in `row` and 8 below it, of
  // `columns` columns from `column` on. Hopper's kernel calls it before the products of a tile.
  template <int columns> __device__ void begin(int, int) {}
  // 16 rows and 64 columns of a warp, 32 sums of this thread, in the order of wgmma.cuh. `part`: of
  // the columns that begin() was told of. `note` is this thread's, for end().
  __device__ void apply(float* sum, int, int column, float2&) {
#pragma unroll
    for (int j = 0; j < 32; j += 2) {
      const float2 v = f({sum[j], sum[j + 1]}, column + j / 4 * 8 + threadIdx.x % 4 * 2);
      sum[j] = v.x, sum[j + 1] = v.y;
    }
  }
  // When that is done for 64 rows: `row` and `column` are the first of 64 x 64 sums, note(i) what
  // apply() left for this lane in rows 16 i to 16 i + 15. A warp calls it.
  template <class Notes> __device__ void end(int, int, Notes) const {}
};

}  // namespace fused
