// Bug hunt: a struct of arrays, and a warp for each array. Four warps load vx, vy, vz and mass of
// the same 256 particles; all loads of a thread are in flight before the first is used. Eight
// times, for 32 particles each, the warps then leave values in `part`, which all threads of a block
// share, wait for each other (__syncthreads, a *barrier*), and the first warp adds up.
// It is wrong:
//
//   ./workbook test 02_data_layout/exercise     values of `energy` are made of several particles
//
// Of a block's 256 values the last 32 are right.
//
// TODO: the barrier makes sure that a value is there before it is read. What makes sure that it is
// still there?
// Goal: right at every size
// Hints are in README.md.
#include "data_layout.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kLanes = 32, kFields = 4, kSteps = 8;
constexpr int kParticles = kLanes * kSteps;  // per block

__global__ void kernel(DataLayout::Args p) {
  __shared__ float part[kFields][kLanes];
  const int lane = threadIdx.x, field = threadIdx.y;
  const float* from = field == 0 ? p.vx : field == 1 ? p.vy : field == 2 ? p.vz : p.mass;
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * kParticles + lane;

  float value[kSteps];
#pragma unroll
  for (int step = 0; step < kSteps; ++step)
    value[step] = first + step * kLanes < p.n ? from[first + step * kLanes] : 0;
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    part[field][lane] = field < 3 ? value[step] * value[step] : 0.5f * value[step];
    __syncthreads();
    if (const wb::i64 i = first + step * kLanes; field == 0 && i < p.n)
      p.energy[i] = part[3][lane] * (part[0][lane] + part[1][lane] + part[2][lane]);
  }
}

constexpr int kSectors = wb::sectors_per_request([](int lane) { return lane; });

void run(const DataLayout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  kernel<<<(p.n + kParticles - 1) / kParticles, dim3(kLanes, kFields), 0, stream>>>(p);
}

}  // namespace

WB_CUDA(DataLayout, exercise, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
