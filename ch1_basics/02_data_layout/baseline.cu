// An array of structs, as an object-oriented program keeps its particles. Each particle has a
// thread.
//
// Predict: a lane's neighbour is 64 bytes away. vx, vy and vz are in the first 32-byte sector of a
// particle, mass in the second: of how many bytes that memory delivers are how many used?
#include <cstddef>

#include "data_layout.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

__global__ void kernel(wb::i64 n, const Particle* particles, float* energy) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Particle& p = particles[i];
  energy[i] = kinetic_energy(p.vx, p.vy, p.vz, p.mass);
}

// In floats: `particles[lane].mass`.
constexpr int kLoad = wb::sectors_per_request(
    [](int lane) { return (lane * sizeof(Particle) + offsetof(Particle, mass)) / sizeof(float); });
static_assert(kLoad == 32);

void run(const DataLayout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  kernel<<<(p.n + 255) / 256, 256, 0, stream>>>(p.n, p.particles, p.energy);
}

}  // namespace

WB_CUDA(DataLayout, baseline, run);
WB_NOTE(wb::requests_note(kLoad, wb::sectors_per_request([](int lane) { return lane; })));
