// A tile of C = A B^T where rows are whole 16 bytes, so that TMA brings them: a warp asks for
// tiles, warpgroups of 64 rows each multiply. Tiles of several sizes, and k in slices.
#pragma once

#include "finish.cuh"

namespace any_shape {

template <int kRows, int kColumns> struct Aligned {
  static constexpr int kThreads = 2 * kRows + 32;
  static constexpr int kBlocks = blocks_of(Way::aligned, kRows* kColumns);  // per multiprocessor
  static constexpr int kStage = stage_bytes(kRows, kColumns), kStages = stages_of(kRows, kColumns);
  static constexpr int kBarriers = kStages * kStage;
  static constexpr int kBytes = kBarriers + 2 * kStages * 8;
  static_assert(finish_bytes(kRows, kColumns) <= kBarriers);
};

template <int kRows, int kColumns, class T, class Epilogue>
__global__ void __launch_bounds__(Aligned<kRows, kColumns>::kThreads,
                                  Aligned<kRows, kColumns>::kBlocks)
    aligned(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
            const __grid_constant__ CUtensorMap map_b, T* c, int slices, const Epilogue epilogue) {
#ifdef HOPPER_CODE
  using Size = Aligned<kRows, kColumns>;
  extern __shared__ __align__(1024) unsigned char memory[];
  T* const a = reinterpret_cast<T*>(memory);
  T* const b = a + Size::kStages * kRows * kDepth;
  auto* const full = reinterpret_cast<hopper::Barrier*>(memory + Size::kBarriers);
  hopper::Barrier* const empty = full + Size::kStages;
  const int lane = threadIdx.x % 32, warpgroup = threadIdx.x / 128;
  const auto [row, column] = place<kRows, kColumns>(blockIdx.x / slices, m, n);
  const auto [begin, end] = steps_of(k, blockIdx.x % slices, slices);

  // The thread that asks for tiles does so before other threads know the barriers.
  hopper::Ring<Size::kStages> ring;
  const bool asks = threadIdx.x == 2 * kRows;
  const auto ask = [&](int i) {
    full[ring.stage].arrive_expecting(Size::kStage);
    hopper::load(a + ring.stage * kRows * kDepth, map_a, row, i * kDepth, full[ring.stage]);
    hopper::load(b + ring.stage * kColumns * kDepth, map_b, column, i * kDepth, full[ring.stage]);
    ring.next();
  };
  int asked = begin;
  if (asks) {
    for (int i = 0; i < Size::kStages; ++i) full[i].init(1), empty[i].init(kRows / 16);
    hopper::fence_barriers();
    hopper::fence_stores();
    asm volatile("griddepcontrol.wait;" ::: "memory");  // for a copy of A and B, if there is one
    while (asked < min(end, begin + Size::kStages)) ask(asked++);
  }
  __syncthreads();

  float sum[kColumns / 2] = {};
  if (warpgroup == kRows / 64) {
    while (asks && asked < end) {
      empty[ring.stage].wait(ring.parity ^ 1);
      ask(asked++);
    }
    __syncwarp();
  } else {
    int before = 0;
    for (int i = begin; i < end; ++i, ring.next()) {
      full[ring.stage].wait(ring.parity);
      const auto left = hopper::describe(a + (ring.stage * kRows + warpgroup * 64) * kDepth);
      const auto right = hopper::describe(b + ring.stage * kColumns * kDepth);
      hopper::begin();
#pragma unroll
      for (int j = 0; j < kDepth / 16; ++j)
        hopper::multiply<T>(sum, left + 2 * j, right + 2 * j, true);
      hopper::commit();
      hopper::wait<1>();
      if (i > begin && lane == 0) empty[before].arrive();
      before = ring.stage;
    }
    hopper::wait<0>(sum);
  }
  __syncthreads();  // all stages have been read: their place is free for the sums
  float* const tile = reinterpret_cast<float*>(memory);
  if (warpgroup < kRows / 64) put<kColumns>(tile, sum, warpgroup * 64, 0);
  finish<kRows, kColumns>(tile, m, n, row, column, c, slices, epilogue);
#endif
}

}  // namespace any_shape
