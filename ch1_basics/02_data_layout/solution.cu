// A solution of the exercise: a thread's particles are a block's width apart, so that in each step
// the lanes take neighbours.
#include "data_layout.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kParticles = 32;  // per thread

// The particle that thread `thread` of block `block` takes as its `step`-th.
constexpr wb::i64 particle(wb::i64 block, int thread, int step) {
  return (block * kParticles + step) * kThreads + thread;
}

// __restrict__ promises that energy is none of the others, so the compiler may load some steps
// ahead.
__global__ void kernel(wb::i64 n, const float* __restrict__ vx, const float* __restrict__ vy,
                       const float* __restrict__ vz, const float* __restrict__ mass,
                       float* __restrict__ energy) {
#pragma unroll 4
  for (int step = 0; step < kParticles; ++step) {
    const wb::i64 i = particle(blockIdx.x, threadIdx.x, step);
    if (i < n) energy[i] = kinetic_energy(vx[i], vy[i], vz[i], mass[i]);
  }
}

constexpr int kSectors = wb::sectors_per_request([](int lane) { return particle(0, lane, 0); });
static_assert(kSectors == 4);

void run(const DataLayout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const wb::i64 a_block = kThreads * kParticles;
  kernel<<<(p.n + a_block - 1) / a_block, kThreads, 0, stream>>>(p.n, p.vx, p.vy, p.vz, p.mass,
                                                                 p.energy);
}

}  // namespace

WB_CUDA(DataLayout, solution, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
