// Exercise: the table is one long run of elements, and each thread takes a slice of 64 of them, the
// way one would share work among the threads of a CPU. The answer is right.
//
// TODO: change element() (and nothing that it does not need) so that the lanes of a warp take
// neighbouring elements in every step of the loop. Each thread keeps its 64 steps.
//
// Goal: at most 1.55 times as long as optimized at rows=4194304,columns=16
// Goal: at most 4 sectors_per_request at rows=32768,columns=16
// Its requests have 4 sectors then; the note of its row says so.
//
// Check your index before you run it: the note of its row shows the sectors.
#include "coalescing.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kThreads = 256;
constexpr int kSteps = 64;

// The element that thread `thread` of block `block` takes in step `step`.
constexpr unsigned element(unsigned block, unsigned thread, unsigned step) {
  return (block * kThreads + thread) * kSteps + step;
}

// __restrict__ promises that y is not x, so the compiler may load some steps ahead.
__global__ void kernel(unsigned elements, unsigned columns, const float* __restrict__ weight,
                       const float* __restrict__ x, float* __restrict__ y) {
#pragma unroll 4
  for (int step = 0; step < kSteps; ++step) {
    const unsigned i = element(blockIdx.x, threadIdx.x, step);
    if (i < elements) y[i] = weight[i % columns] * x[i];
  }
}

constexpr int kSectors = wb::sectors_per_request([](int lane) { return element(0, lane, 0); });

void run(const Coalescing::Args& p, cudaStream_t stream) {
  const wb::i64 elements = p.rows * p.columns, a_block = kThreads * kSteps;
  if (elements > (1ll << 31)) throw wb::Unsupported("counts with 32 bits: at most 2^31 elements");
  if (elements == 0) return;
  kernel<<<(elements + a_block - 1) / a_block, kThreads, 0, stream>>>(elements, p.columns, p.weight,
                                                                      p.x, p.y);
}

}  // namespace

WB_CUDA(Coalescing, exercise, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
