// What Hopper's tensor cores are fed with, and CUDA C++ has no words for: thin wrappers of PTX, in
// the order of a tile's life. Tiles in shared memory have rows of 64 16-bit numbers, 128 bytes, and
// are *swizzled*: in row r the 16-byte piece p stands at place p ^ (r % 8), so that eight pieces in
// one column of the tile lie in different banks. TMA writes and reads this order, wgmma reads it.
// Tiles begin at multiples of 1024 bytes, where the pattern does.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "tensor_map.h"

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

  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state)),
                 "r"(arrivals));
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state))
                 : "memory");
  }
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
// Until all but the last `pending` stores of this thread have read their boxes.
template <int pending> __device__ void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// --- wgmma: products by a warpgroup, 128 threads -------------------------------------------------

// Where a tile stands and how: 128-byte swizzle (bit 62), groups of 8 rows 1024 bytes apart. All
// addresses count 16 bytes, so 16 columns further is 2 more.
__device__ inline std::uint64_t describe(const void* tile) {
  return (1ull << 62) | (1024ull >> 4 << 32) | (1ull << 16) | (shared_address(tile) & 0x3FFFF) >> 4;
}

// The 64 x 256 sums of a warpgroup. Warp w has rows 16 w to 16 w + 15. Of each 8 columns j a thread
// holds four: sum[4 j] and the next are in row lane / 4, columns 2 (lane % 4) and one more, and the
// other two eight rows below.
constexpr int kSums = 128;

// sum = A B^T, or sum += A B^T: A is 64 x 16, B 256 x 16, both in shared memory. It only starts:
// begin(), products, commit(), wait<0>(), and no touch of `sum` in between.
#define HOPPER_SUMS8(i)                                                                 \
  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), \
      "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define HOPPER_SUMS32(i) \
  HOPPER_SUMS8(i), HOPPER_SUMS8(i + 8), HOPPER_SUMS8(i + 16), HOPPER_SUMS8(i + 24)
#define HOPPER_WGMMA(TYPES)                                                                        \
  asm volatile(                                                                                    \
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;\n"                                              \
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." TYPES                                         \
      " {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,"   \
      "%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,"   \
      "%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,"   \
      "%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,"   \
      "%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109," \
      "%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}" \
      ", %128, %129, add, 1, 1, 0, 0; }"                                                           \
      : HOPPER_SUMS32(0), HOPPER_SUMS32(32), HOPPER_SUMS32(64), HOPPER_SUMS32(96)                  \
      : "l"(a), "l"(b), "r"(int{add}))

template <class T>
__device__ void multiply(float (&sum)[kSums], std::uint64_t a, std::uint64_t b, bool add) {
  if constexpr (std::is_same_v<T, __half>)
    HOPPER_WGMMA("f16.f16");
  else
    HOPPER_WGMMA("bf16.bf16");
}
__device__ inline void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending> __device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
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
  std::uint32_t bits;
  if constexpr (std::is_same_v<T, __half>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
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

}  // namespace hopper
