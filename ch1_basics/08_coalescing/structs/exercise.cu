// Exercise: a struct of arrays, and each thread takes four neighbouring particles one after the
// other. That spoils half of what the layout has won: one request touches 16 sectors and needs 4.
//
// TODO: keep four particles a thread and loads of 4 bytes, but change which four they are.
//
// Goal: 4 sectors a request, and at least 0.95 of the speed of optimized, without 16-byte loads.
// (This works for arrays that start anywhere; 16-byte loads need aligned ones.)
#include "structs.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kParticles = 4;  // a thread

// The particle that thread `thread` of block `block` takes as its `step`-th.
constexpr wb::i64 particle(wb::i64 block, int thread, int step) {
  return (block * kThreads + thread) * kParticles + step;
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

void run(const Structs::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const wb::i64 a_block = kThreads * kParticles;
  kernel<<<(p.n + a_block - 1) / a_block, kThreads, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(Structs, exercise, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
