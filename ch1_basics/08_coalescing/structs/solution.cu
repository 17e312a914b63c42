// A solution of the exercise: a thread's particles are a block apart, so that in each step the
// lanes take neighbours. Four independent loads a thread keep as many bytes in flight as one of 16
// bytes.
#include "structs.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kParticles = 4;  // a thread

// The particle that thread `thread` of block `block` takes as its `step`-th.
constexpr wb::i64 particle(wb::i64 block, int thread, int step) {
  return (block * kParticles + step) * kThreads + thread;
}

__global__ void kernel(Structs::Args p) {
  float energy[kParticles];
#pragma unroll
  for (int step = 0; step < kParticles; ++step) {
    const wb::i64 i = particle(blockIdx.x, threadIdx.x, step);
    if (i < p.n) energy[step] = kinetic_energy(p.vx[i], p.vy[i], p.vz[i], p.mass[i]);
  }
#pragma unroll
  for (int step = 0; step < kParticles; ++step) {
    const wb::i64 i = particle(blockIdx.x, threadIdx.x, step);
    if (i < p.n) p.energy[i] = energy[step];
  }
}

constexpr int kSectors = wb::sectors_per_request([](int lane) { return particle(0, lane, 0); });
static_assert(kSectors == 4);

void run(const Structs::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const wb::i64 a_block = kThreads * kParticles;
  kernel<<<(p.n + a_block - 1) / a_block, kThreads, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Structs, solution, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
