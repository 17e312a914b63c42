// C = leaky_relu(A B^T) in 16 bits on Hopper: chapter 4's kernel with its constants as parameters.
// One warpgroup loads boxes of A and B by TMA into a ring of stages; the others multiply, each its
// rows of the tile, and store. Blocks go from tile to tile until none is left.
//
// The file is compiled by nvcc (baseline, optimized), and by NVRTC (candidate.cu).
#pragma once

#include "../../ch4_gemm_fusion/shared/hopper.cuh"
#include "shape.h"

namespace tiles {

// Where tile `index` begins: down a group of `group` tiles, then the next column of tiles.
__device__ inline int2 place(int index, int down, int across, int group) {
  const int first = index / (group * across) * group, height = min(group, down - first);
  const int in_group = index % (group * across);
  return {first + in_group % height, in_group / height};
}

template <class T> __device__ std::uint32_t leaky_relu(float first, float second) {
  return hopper::pack<T>(fmaxf(first, 0.01f * first), fmaxf(second, 0.01f * second));
}

// 64 rows of a tile out of the registers of a warpgroup, through boxes in shared memory.
template <class T, int columns, int boxes>
__device__ void store_boxes(const float (&sum)[columns / 2], const CUtensorMap& map_c, int row,
                            int column, T* all_boxes, int& next, int warpgroup) {
  const int thread = threadIdx.x % 128, lane = thread % 32;
  const int below = thread / 32 * 16 + lane % 16;  // row in a box
#pragma unroll
  for (int part = 0; part < columns / 64; ++part, next = (next + 1) % boxes) {
    T* const box = all_boxes + next * 64 * 64;
    if (thread == 0) hopper::wait_for_stores<boxes - 1>();
    hopper::synchronize_warpgroup(1 + warpgroup);  // the box is free
#pragma unroll
    for (int j = 0; j < 8; j += 2) {  // 16 rows and 16 columns for each warp
      const float* x = sum + 32 * part + 4 * j;
      hopper::store_matrices(box + below * 64 + ((j + lane / 16) ^ below % 8) * 8,
                             leaky_relu<T>(x[0], x[1]), leaky_relu<T>(x[2], x[3]),
                             leaky_relu<T>(x[4], x[5]), leaky_relu<T>(x[6], x[7]));
    }
    hopper::fence_stores();
    hopper::synchronize_warpgroup(1 + warpgroup);  // the box is complete
    if (thread == 0) hopper::store(map_c, row, column + 64 * part, box);
  }
}

// The same with no boxes: no shared memory, no waiting, but 16 bytes of a row at a time.
template <class T, int columns>
__device__ void store_directly(const float (&sum)[columns / 2], T* c, int m, int n, int row,
                               int column) {
  const int thread = threadIdx.x % 128, lane = thread % 32;
  row += thread / 32 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < columns / 8; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int x = row + 8 * half, y = column + 8 * j + lane % 4 * 2;
      if (x < m && y < n)  // n is even
        *reinterpret_cast<std::uint32_t*>(c + static_cast<long long>(x) * n + y) =
            leaky_relu<T>(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
    }
}

template <class T, Shape s>
__device__ void gemm(int m, int n, int k, int group, const CUtensorMap& map_a,
                     const CUtensorMap& map_b, const CUtensorMap& map_c, T* c) {
#ifdef HOPPER_CODE
  constexpr int kA = s.bm * s.bk, kB = s.bn * s.bk, kSlabs = s.slabs(), kParts = s.bk / 64;
  extern __shared__ __align__(1024) unsigned char memory[];
  T* const a_stages = reinterpret_cast<T*>(memory);
  T* const b_stages = a_stages + s.stages * kA;
  T* const boxes = b_stages + s.stages * kB;
  auto* const full = reinterpret_cast<hopper::Barrier*>(boxes + s.consumers * s.boxes * 64 * 64);
  hopper::Barrier* const empty = full + s.stages;

  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + s.bk - 1) / s.bk;
  const int down = (m + s.bm - 1) / s.bm, across = (n + s.bn - 1) / s.bn;
  if (threadIdx.x == 0) {
    for (int i = 0; i < s.stages; ++i) {
      full[i].init(1);
      empty[i].init(4 * s.consumers);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<s.stages> ring;  // goes on from tile to tile
  if (consumer < 0) {
    if constexpr (s.gives_registers()) hopper::give_registers<Shape::kLoading>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        const auto [x, y] = place(tile, down, across, group);
        for (int i = 0; i < steps; ++i, ring.next()) {
          empty[ring.stage].wait(ring.parity ^ 1);
          full[ring.stage].arrive_expecting(2 * (kA + kB));
#pragma unroll
          for (int part = 0; part < kParts; ++part) {  // a box is 64 columns wide
            hopper::load(a_stages + ring.stage * kA + part * s.bm * 64, map_a, x * s.bm,
                         i * s.bk + part * 64, full[ring.stage]);
            hopper::load(b_stages + ring.stage * kB + part * s.bn * 64, map_b, y * s.bn,
                         i * s.bk + part * 64, full[ring.stage]);
          }
        }
      }
  } else {
    if constexpr (s.gives_registers()) hopper::take_registers<s.registers()>();
    int next_box = 0;
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
      const auto [x, y] = place(tile, down, across, group);
      float sum[kSlabs][s.bn / 2];
      int before = 0;
      for (int i = 0; i < steps; ++i, ring.next()) {
        full[ring.stage].wait(ring.parity);
        const std::uint64_t a =
            hopper::describe(a_stages + ring.stage * kA + consumer * kSlabs * 64 * 64);
        const std::uint64_t b = hopper::describe(b_stages + ring.stage * kB);
        hopper::begin();
#pragma unroll
        for (int j = 0; j < s.bk / 16; ++j)
#pragma unroll
          for (int slab = 0; slab < kSlabs; ++slab)  // descriptors count 16 bytes
            hopper::multiply<T>(sum[slab], a + j / 4 * s.bm * 8 + slab * 64 * 8 + j % 4 * 2,
                                b + j / 4 * s.bn * 8 + j % 4 * 2, i + j > 0);
        hopper::commit();
        hopper::wait<1>();
        if (i > 0 && lane == 0) empty[before].arrive();
        before = ring.stage;
      }
      hopper::wait<0>();
      if (lane == 0) empty[before].arrive();  // the producer goes on while we store

#pragma unroll
      for (int slab = 0; slab < kSlabs; ++slab) {
        const int row = x * s.bm + (consumer * kSlabs + slab) * 64;
        if constexpr (s.boxes > 0)
          store_boxes<T, s.bn, s.boxes>(sum[slab], map_c, row, y * s.bn,
                                        boxes + consumer * s.boxes * 64 * 64, next_box, consumer);
        else
          store_directly<T, s.bn>(sum[slab], c, m, n, row, y * s.bn);
      }
    }
    if (s.boxes > 0 && threadIdx.x % 128 == 0)
      hopper::wait_for_stores<0>();  // shared memory lives as long as its block
  }
#endif
}

}  // namespace tiles
