// Optional reading: a plan for every shape. The kernel is that of optimized (tile.cuh), compiled
// for six tiles from 128 x 128 to 16 x 128. Where there are few tiles, blocks also share k: each
// leaves its sums in memory, and a second kernel adds these up (parts.cuh). plan.h expects of each
// tile and number of parts how long it takes, and chooses the least.
//
// Predict: a single row times 4096 x 4096 reads 67 MB for 34 million operations. What limits it,
// and what does it cost that a tile of 16 rows has work for one?
#include <climits>

#include "../sgemm.h"
#include "parts.cuh"
#include "plan.h"
#include "tile.cuh"

namespace {

// As kTiles of plan.h.
template <class F> void with_tile(int tile, F f) {
  switch (tile) {
    case 0: return f(Shape<2, 2, 8, 16, 8, 3, 2>());
    case 1: return f(Shape<1, 2, 8, 8, 8, 4, 7>());
    case 2: return f(Shape<1, 2, 4, 8, 8, 4, 7>());
    case 3: return f(Shape<2, 1, 8, 8, 8, 4, 7>());
    case 4: return f(Shape<1, 1, 2, 8, 8, 4, 12>());
    case 5: return f(Shape<1, 1, 16, 8, 8, 4, 12>());
  }
}

sgemm::Plan choose(const Sgemm::Args& p) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return sgemm::plan(p.m, p.n, p.k, multiprocessors);
}

auto make(const Sgemm::Args& p) {
  if (std::max({p.m, p.n, p.k}) > INT_MAX / 2) throw wb::Unsupported("counts with 32 bits");
  const sgemm::Plan plan = choose(p);
  const wb::i64 count = p.m * p.n, pitch = (count + 3) / 4 * 4;
  const auto scratch = wb::make_device_array<float>(plan.parts > 1 ? plan.parts * pitch : 1);
  return [=](cudaStream_t stream) {
    if (count == 0) return;
    const bool cut = plan.parts > 1;
    const auto as_int = [](wb::i64 n) { return static_cast<int>(n); };
    const Product product{as_int(p.m),
                          as_int(p.n),
                          as_int(p.k),
                          as_int(plan.part),
                          as_int(plan.tiles()),
                          as_int(plan.across),
                          p.a,
                          p.b,
                          cut ? scratch.get() : p.c,
                          cut ? pitch : 0};
    with_tile(plan.tile, [&](auto shape) {
      using S = decltype(shape);
      const auto kernel = p.n % 4 == 0 ? multiply<S, 4> : multiply<S, 1>;
      kernel<<<wb::grid(plan.tiles() * plan.parts), S::kThreads, 0, stream>>>(product, 1);
    });
    WB_CHECK(cudaGetLastError());
    if (!cut) return;
    cudaLaunchAttribute early{};  // add_parts is on the multiprocessors before the parts are done
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = wb::grid((count + 4 * kQuads - 1) / (4 * kQuads));
    launch.blockDim = dim3(kQuads, std::min(plan.parts, kMostAdders));
    launch.stream = stream;
    launch.attrs = &early, launch.numAttrs = 1;
    WB_CHECK(cudaLaunchKernelEx(&launch, add_parts, count, pitch, plan.parts,
                                static_cast<const float*>(scratch.get()), p.c));
  };
}

}  // namespace

WB_CUDA(Sgemm, all_shapes, make);
WB_CASE_NOTE(Sgemm, [](const Sgemm::Args& p) { return choose(p).text(); });
