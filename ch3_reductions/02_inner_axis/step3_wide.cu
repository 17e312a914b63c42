// Changes against step 2: 16 bytes per load, and a thread asks for four of them before it adds up
// the first. A row may begin and end anywhere: Packs (../shared/pack.cuh) says which part of it is
// whole packs, and takes the few elements before and after these one by one. A block has as many
// threads as its row has work for, up to 512: then 8192 floats are a single step.
//
// Predict: 8192 rows of 8192 gain in one of the types, fp32 or bf16. In which, and why not in both?
#include "../shared/pack.cuh"
#include "../shared/shuffle.cuh"
#include "rows.cuh"

namespace {

constexpr int kMostThreads = 512, kLoads = 4;

template <class Op, class T> __global__ void __launch_bounds__(kMostThreads) reduce(Op, Rows<T> r) {
  const Packs<T> x(r.begin(blockIdx.x), r.columns);
  const int threads = static_cast<int>(blockDim.x);
  Accumulators<Op, T> own;
  i64 i = threadIdx.x;
  for (; i + (kLoads - 1) * threads < x.count; i += kLoads * threads) {
    Pack<T> pack[kLoads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) pack[j] = x.pack[i + j * threads];
#pragma unroll
    for (int j = 0; j < kLoads; ++j) own.take(pack[j]);
  }
  for (; i < x.count; i += threads) own.take(x.pack[i]);
  const float value = Op::combine(own.result(), x.template edge<Op>(threadIdx.x));
  const float all = block_reduce<Op>(value);
  if (threadIdx.x == 0) r.finish(blockIdx.x, all);
}

void run(const InnerAxis::Args& p, cudaStream_t stream) {
  with_rows(p, [&](auto op, auto rows) {
    const i64 width = 16 / static_cast<i64>(InnerAxis::element_bytes(p.dtype));
    const unsigned warps = std::clamp(blocks(p.columns, width * kLoads * kWarp), 1u, 16u);
    reduce<<<static_cast<unsigned>(rows.rows), warps * kWarp, 0, stream>>>(op, rows);
  });
}

}  // namespace

WB_CUDA(InnerAxis, step3_wide, run);
