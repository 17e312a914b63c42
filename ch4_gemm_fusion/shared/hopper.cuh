// The instructions around Hopper's tensor cores that CUDA C++ has no words for: thin wrappers of
// PTX, in the order of a tile's life. Tiles in shared memory have rows of 64 16-bit numbers, 128
// bytes, and are *swizzled*: in row r the 16-byte piece p is at place p ^ (r % 8), so that eight
// pieces in one column of the tile are in different banks. TMA writes and reads this order, wgmma
// reads it. Tiles begin at multiples of 1024 bytes, where the pattern does.
#pragma once

#include <cuda_awbarrier_primitives.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tensor_map.h"
#include "wgmma.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)  // wgmma and setmaxnreg: of sm_90a, and of nothing later
#define HOPPER_CODE 1
#endif

namespace hopper {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// --- Barriers in shared memory -------------------------------------------------------------------

// An *mbarrier* has phases 0, 1, 0, 1 ... A phase ends when `arrivals` threads have arrived and all
// bytes that were announced are there.
struct Barrier {
  std::uint64_t state;

  __device__ void init(int arrivals) { __mbarrier_init(&state, arrivals); }
  __device__ void arrive() { __mbarrier_arrive(&state); }
  // At the same barrier of block `rank` of the cluster.
  __device__ void arrive_at(int rank) {
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(shared_address(&state)),
        "r"(rank)
        : "memory");
  }
  // Arrives and announces bytes that TMA will bring.
  __device__ void arrive_expecting(int bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state)),
        "r"(bytes)
        : "memory");
  }
  // Until the phase of this parity is over. A new barrier is in phase 0, so waiting for parity 1,
  // the phase before it, returns at once.
  __device__ void wait(int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again; }" ::"r"(shared_address(&state)),
        "r"(parity)
        : "memory");
  }
};
// After init(), before any other thread or TMA uses the barriers; then synchronize the block.
__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Where a circular buffer of `stages` is at, and which phase of its barriers that is.
template <int stages> struct Ring {
  int stage = 0, parity = 0;
  __device__ void next() {
    if (++stage == stages) stage = 0, parity ^= 1;
  }
};

// --- TMA: boxes between device and shared memory ------------------------------------------------

// Asks for the box that begins at (row, column); `full` counts its bytes as they come.
__device__ inline void load(void* box, const CUtensorMap& map, int row, int column, Barrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(&full.state))
      : "memory");
}
// The same of matrix `matrix`, where the map has several.
__device__ inline void load(void* box, const CUtensorMap& map, int matrix, int row, int column,
                            Barrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(box)),
      "l"(&map), "r"(column), "r"(row), "r"(matrix), "r"(shared_address(&full.state))
      : "memory");
}
// The same box for the blocks of the cluster that have a bit in `blocks`, read from L2 once: it
// lands at the same place in each, and the barrier of each counts it.
__device__ inline void load_multicast(void* box, const CUtensorMap& map, int row, int column,
                                      Barrier& full, int blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(box)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(&full.state)), "h"(short(blocks))
      : "memory");
}
// TMA sees shared memory through another *proxy* than stores do. Each thread that wrote what TMA is
// to read calls this, then they synchronize, then one of them calls store().
__device__ inline void fence_stores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void store(const CUtensorMap& map, int row, int column, const void* box) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
      "r"(column), "r"(row), "r"(shared_address(box))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ inline void store(const CUtensorMap& map, int matrix, int row, int column,
                             const void* box) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
      "r"(column), "r"(row), "r"(matrix), "r"(shared_address(box))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until all but the last `pending` stores of this thread have read their boxes.
template <int pending> __device__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// --- wgmma: products by a warpgroup, 128 threads -------------------------------------------------

// Where a tile is and how: 128-byte swizzle (bit 62), groups of 8 rows 1024 bytes apart. All
// addresses count 16 bytes, so 16 columns further is 2 more.
__device__ inline std::uint64_t describe(const void* tile) {
  return (1ull << 62) | (1024ull >> 4 << 32) | (1ull << 16) | (shared_address(tile) & 0x3FFFF) >> 4;
}
// The same of a tile that is stored by columns, k by k: boxes of 64 numbers (rows of the product)
// for each of the k's, `next` bytes from a box to the one with the next 64 rows. 16 k's further is
// 128 more.
__device__ inline std::uint64_t describe_columns(const void* tile, int next) {
  return (1ull << 62) | (1024ull >> 4 << 32) | (std::uint64_t(next) >> 4 << 16) |
         (shared_address(tile) & 0x3FFFF) >> 4;
}

constexpr int kSums = 128;  // of a thread, in a product 256 columns wide (wgmma.cuh)
__device__ inline void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending> __device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
// The same, for `sum` of a product that is over by then: the compiler does not know which that is,
// and might use it earlier without this.
template <int pending, int count> __device__ void wait(float (&sum)[count]) {
  wait<pending>();
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sum[i])::"memory");
}

// Registers per thread of this warpgroup: given back, or taken from those given back.
template <int registers> __device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers> __device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

// --- Out of the registers -----------------------------------------------------------------------

template <class T> __device__ std::uint32_t pack(float first, float second) {
  const auto both = [&] {
    if constexpr (std::is_same_v<T, __half>)
      return __floats2half2_rn(first, second);
    else
      return __floats2bfloat162_rn(first, second);
  }();
  return reinterpret_cast<const std::uint32_t&>(both);
}
// stmatrix: four 8 x 8 matrices of a warp. Lane l names the address of row l % 8 of matrix l / 8;
// of each, lane l gives the numbers 2 (l % 4) and one more of row l / 4, packed.
__device__ inline void store_matrices(void* row, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                      std::uint32_t d) {
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
      "r"(a), "r"(b), "r"(c), "r"(d)
      : "memory");
}

__device__ inline void synchronize_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
// Of the 128 threads of one warpgroup; 0 is the whole block's.
__device__ inline void synchronize_warpgroup(int barrier) {
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}
// Between two warpgroups: one waits for the other's signal.
__device__ inline void wait_for_signal(int barrier) {
  asm volatile("bar.sync %0, 256;" ::"r"(barrier) : "memory");
}
__device__ inline void signal(int barrier) {
  asm volatile("bar.arrive %0, 256;" ::"r"(barrier) : "memory");
}

}  // namespace hopper
