// Exercise: a struct of arrays, and each thread takes 32 neighbouring particles one after the
// other, the way one would share work among the threads of a CPU. That throws away what the layout
// has won: one request touches 32 sectors and needs 4, and the other floats of a sector are gone
// from L1 when their turn comes.
//
// TODO: keep 32 particles per thread and loads of 4 bytes, but change which 32 they are.
//
// Goal: 2 times baseline at particles=16777216
// Its requests have 4 sectors then, see the note beside the row.
#include "data_layout.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kParticles = 32;  // per thread

// The particle that thread `thread` of block `block` takes as its `step`-th.
constexpr wb::i64 particle(wb::i64 block, int thread, int step) {
  return (block * kThreads + thread) * kParticles + step;
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

void run(const DataLayout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const wb::i64 a_block = kThreads * kParticles;
  kernel<<<(p.n + a_block - 1) / a_block, kThreads, 0, stream>>>(p.n, p.vx, p.vy, p.vz, p.mass,
                                                                 p.energy);
}

}  // namespace

WB_CUDA(DataLayout, exercise, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
