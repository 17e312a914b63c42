// The exercise, solved: each pack that is loaded goes to two sets of accumulators. A block stores
// two numbers, left[block] and left[blocks + block], and the last block makes two of all of them.
// Comparing costs more than adding, but there is time for it, because memory decides.
#include "../shared/pack.cuh"
#include "../shared/ticket.cuh"
#include "reduce.cuh"
#include "sum.h"

namespace {

constexpr int kThreads = 512;
constexpr int kLoads = 4;
constexpr int kPerMultiprocessor = 2;  // blocks

template <class T>
__global__ void __launch_bounds__(kThreads, kPerMultiprocessor)
    range(Packs<T> x, float* left, unsigned* ticket, float* result) {
  const i64 step = static_cast<i64>(gridDim.x) * kThreads;
  i64 i = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  Accumulators<Minimum, T> low;
  Accumulators<Maximum, T> high;
  for (; i + (kLoads - 1) * step < x.count; i += kLoads * step) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) pack[j] = x.pack[i + j * step];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) low.take(pack[j]), high.take(pack[j]);
  }
  for (; i < x.count; i += step) low.take(x.pack[i]), high.take(x.pack[i]);
  float smallest = low.result(), largest = high.result();
  if (blockIdx.x == 0) {
    smallest = Minimum::combine(smallest, x.template edge<Minimum>(threadIdx.x));
    largest = Maximum::combine(largest, x.template edge<Maximum>(threadIdx.x));
  }
  smallest = block_reduce<Minimum>(smallest);
  largest = block_reduce<Maximum>(largest);
  if (threadIdx.x == 0) left[blockIdx.x] = smallest, left[gridDim.x + blockIdx.x] = largest;
  if (!is_last_block(ticket, gridDim.x)) return;
  smallest = Minimum::identity(), largest = Maximum::identity();
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads) {
    smallest = Minimum::combine(smallest, __ldcg(left + block));
    largest = Maximum::combine(largest, __ldcg(left + gridDim.x + block));
  }
  smallest = block_reduce<Minimum>(smallest);
  largest = block_reduce<Maximum>(largest);
  if (threadIdx.x == 0) result[0] = smallest, result[1] = largest;
}

auto make(const Range::Args& p) {
  std::function<void(cudaStream_t)> launch;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const Packs<T> x(p.x, p.n);
    const unsigned grid =
        std::clamp(blocks(x.count, kThreads * kLoads), 1u, wave(range<T>, kThreads));
    launch = [=, scratch = make_scratch(2 * grid, 1)](cudaStream_t stream) {
      range<<<grid, kThreads, 0, stream>>>(x, scratch.left.get(), scratch.tickets.get(), p.result);
      WB_CHECK(cudaGetLastError());
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Range, solution, make);
WB_NOTE("another problem than the baseline's: the smallest and the largest, in one array");
