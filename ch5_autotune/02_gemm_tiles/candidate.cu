// C = leaky_relu(A B^T) in 16 bits on Hopper: chapter 4's kernel with its constants as macros. One
// warpgroup loads boxes of A and B by TMA into a ring of stages; the others multiply, each its rows
// of the tile, and store. Blocks go from tile to tile until none is left.
#ifdef WARP_ROWS  // a parameter of the other kernel
#include "../shared/candidate_mma.cuh"
#else
#include "../../ch4_gemm_fusion/shared/hopper.cuh"
#include "shape.h"

constexpr tiles::Shape kShape = {BM, BN, BK, STAGES, CONSUMERS, BLOCKS, BOXES};
static_assert(BM % (64 * CONSUMERS) == 0, "a consumer has whole slabs of 64 rows");
static_assert(kShape.sums() + 32 <= kShape.registers(),
              "the sums leave no registers for anything else");
constexpr int kA = BM * BK, kB = BN * BK, kBox = 64 * 64, kSlabs = kShape.slabs();

// Which tile is number `index`: down a group of `group` tiles, then the next column of tiles.
__device__ int2 place(int index, int down, int across, int group) {
  const int first = index / (group * across) * group, height = min(group, down - first);
  const int in_group = index % (group * across);
  return {first + in_group % height, in_group / height};
}

template <class T> __device__ std::uint32_t leaky_relu(float first, float second) {
  return hopper::pack<T>(fmaxf(first, 0.01f * first), fmaxf(second, 0.01f * second));
}

// 64 rows of a tile out of the registers of a warpgroup, through boxes in shared memory.
template <class T>
__device__ void store_boxes(const float (&sum)[BN / 2], const CUtensorMap& map_c, int row,
                            int column, T* boxes, int& next, int warpgroup) {
  const int thread = threadIdx.x % 128, lane = thread % 32;
  const int below = thread / 32 * 16 + lane % 16;  // row in a box
#pragma unroll
  for (int part = 0; part < BN / 64; ++part, next = (next + 1) % (BOXES + !BOXES)) {
    T* const box = boxes + next * kBox;
    if (thread == 0) hopper::wait_for_stores<BOXES - 1>();
    hopper::synchronize_warpgroup(1 + warpgroup);  // the box is free
#pragma unroll
    for (int j = 0; j < 8; j += 2) {               // 16 rows and 16 columns for each warp
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

// The same without boxes: no shared memory and no waiting, but it fills 16 bytes of a row at a
// time.
template <class T>
__device__ void store_directly(const float (&sum)[BN / 2], T* c, int m, int n, int row,
                               int column) {
  const int thread = threadIdx.x % 128, lane = thread % 32;
  row += thread / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < BN / 4; ++i) {
    const int x = row + i % 2 * 8, y = column + i / 2 * 8 + lane % 4 * 2;
    if (x < m && y < n)  // n is even
      *reinterpret_cast<std::uint32_t*>(c + static_cast<long long>(x) * n + y) =
          leaky_relu<T>(sum[2 * i], sum[2 * i + 1]);
  }
}

template <class T>
__device__ void gemm(int m, int n, int k, int group, const CUtensorMap& map_a,
                     const CUtensorMap& map_b, const CUtensorMap& map_c, T* c) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  T* const a_stages = reinterpret_cast<T*>(memory);
  T* const b_stages = a_stages + STAGES * kA;
  T* const boxes = b_stages + STAGES * kB;
  auto* const full = reinterpret_cast<hopper::Barrier*>(boxes + CONSUMERS * BOXES * kBox);
  hopper::Barrier* const empty = full + STAGES;

  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + BK - 1) / BK, down = (m + BM - 1) / BM, across = (n + BN - 1) / BN;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      full[i].init(1);
      empty[i].init(4 * CONSUMERS);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<STAGES> ring;  // goes on from tile to tile
  if (consumer < 0) {
    if constexpr (kShape.gives_registers()) hopper::give_registers<kShape.kLoading>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        const auto [x, y] = place(tile, down, across, group);
        for (int i = 0; i < steps; ++i, ring.next()) {
          hopper::Barrier& arrived = full[ring.stage];
          empty[ring.stage].wait(ring.parity ^ 1);
          arrived.arrive_expecting(2 * (kA + kB));
#pragma unroll
          for (int part = 0; part < BK; part += 64) {  // a box is 64 columns wide
            hopper::load(a_stages + ring.stage * kA + part * BM, map_a, x * BM, i * BK + part,
                         arrived);
            hopper::load(b_stages + ring.stage * kB + part * BN, map_b, y * BN, i * BK + part,
                         arrived);
          }
        }
      }
  } else {
    if constexpr (kShape.gives_registers()) hopper::take_registers<kShape.registers()>();
    int next_box = 0;
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
      const auto [x, y] = place(tile, down, across, group);
      float sum[kSlabs][BN / 2];
      int before = 0;
      for (int i = 0; i < steps; ++i, ring.next()) {
        full[ring.stage].wait(ring.parity);
        const auto a = hopper::describe(a_stages + ring.stage * kA + consumer * kSlabs * kBox);
        const auto b = hopper::describe(b_stages + ring.stage * kB);
        hopper::begin();
#pragma unroll
        for (int j = 0; j < BK / 16; ++j)
#pragma unroll
          for (int slab = 0; slab < kSlabs; ++slab)  // descriptors count 16 bytes
            hopper::multiply<T>(sum[slab], a + j / 4 * BM * 8 + slab * 64 * 8 + j % 4 * 2,
                                b + j / 4 * BN * 8 + j % 4 * 2, i + j > 0);
        hopper::commit();
        hopper::wait<1>();
        if (i > 0 && lane == 0) empty[before].arrive();
        before = ring.stage;
      }
#pragma unroll
      for (auto& slab : sum) hopper::wait<0>(slab);
      if (lane == 0) empty[before].arrive();  // the producer goes on while we store

#pragma unroll
      for (int slab = 0; slab < kSlabs; ++slab) {
        const int row = x * BM + (consumer * kSlabs + slab) * 64;
        if constexpr (BOXES > 0)
          store_boxes<T>(sum[slab], map_c, row, y * BN, boxes + consumer * BOXES * kBox, next_box,
                         consumer);
        else
          store_directly<T>(sum[slab], c, m, n, row, y * BN);
      }
    }
    if (BOXES > 0 && threadIdx.x % 128 == 0)
      hopper::wait_for_stores<0>();  // shared memory lives as long as its block
  }
#endif
}

#define GEMM(NAME, T)                                                                           \
  extern "C" __global__ void __launch_bounds__(kShape.threads(), BLOCKS) NAME(                  \
      int m, int n, int k, int group, const __grid_constant__ CUtensorMap a,                    \
      const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c_map, T* c) { \
    gemm(m, n, k, group, a, b, c_map, c);                                                       \
  }

GEMM(gemm_fp16, __half)
GEMM(gemm_bf16, __nv_bfloat16)
#endif
