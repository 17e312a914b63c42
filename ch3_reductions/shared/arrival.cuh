// A barrier in shared memory that counts bytes (PTX ISA: mbarrier; compute capability 9.0). A phase
// is over when one thread has announced its number of bytes, and they have all arrived. Two phases
// must not overlap: a thread waits for one before it begins the next.
#pragma once

#include <cstdint>

namespace {

struct Arrival {
  unsigned address;

  __device__ explicit Arrival(std::uint64_t* barrier) : address(shared(barrier)) {}
  __device__ static unsigned shared(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
  }
  // The same place in the shared memory of another block of the cluster.
  __device__ static unsigned in_block(const void* at, int block) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared(at)), "r"(block));
    return there;
  }
  __device__ void begin() const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");  // for the others, the TMA
  }
  __device__ void expect(unsigned bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
                 : "memory");
  }
  __device__ void wait(int phase) const {
    unsigned done = 0;
    while (!done)
      asm volatile(
          "{\n .reg .pred p;\n"
          " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
          " selp.u32 %0, 1, 0, p;\n}"
          : "=r"(done)
          : "r"(address), "r"(phase & 1)
          : "memory");
  }
  // One thread has the tensor memory accelerator (TMA) bring bytes from memory, whole packs of 16.
  __device__ void fetch(void* to, const void* from, unsigned bytes) const {
    expect(bytes);
    if (bytes == 0) return;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared(to)),
        "l"(from), "r"(bytes), "r"(address)
        : "memory");
  }
  // Writes a pair into another block's memory, and counts its eight bytes at the barrier there.
  __device__ static void send(unsigned to, float2 pair, unsigned barrier) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::
            "r"(to),
        "f"(pair.x), "f"(pair.y), "r"(barrier)
        : "memory");
  }
};

}  // namespace
