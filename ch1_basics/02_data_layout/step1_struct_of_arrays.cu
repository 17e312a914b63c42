// Changes against baseline: a struct of arrays. The kernel is the same, except for the addresses
// that it reads.
//
// Predict: 64 + 4 bytes per particle become 16 + 4. Do you get the whole factor?
#include "data_layout.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

__global__ void kernel(DataLayout::Args p) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.n) return;
  p.energy[i] = kinetic_energy(p.vx[i], p.vy[i], p.vz[i], p.mass[i]);
}

// `vx[lane]`, and the same for the other arrays.
constexpr int kSectors = wb::sectors_per_request([](int lane) { return lane; });
static_assert(kSectors == 4);

void run(const DataLayout::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  kernel<<<(p.n + 255) / 256, 256, 0, stream>>>(p);
}

}  // namespace

WB_CUDA(DataLayout, step1_struct_of_arrays, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
