// Optional reading: a plan for every shape (plan.h). A block makes a tile of C from a part of k,
// and where k is cut, a second kernel adds up what the blocks of a tile have left in memory
// (parts.cuh): always in the same order, so the same input gives the same bits.
//
//   tiles     the kernel of optimized, compiled for seven tiles (tile.cuh)
//   rows      C has few rows: values of B go to registers and serve all of them (thin.cuh)
//   columns   C has few columns: the same for values of A
//
// Predict: a single row times 4096 x 4096 reads 67 MB for 34 million operations. What limits it?
// And what limits 16 rows?
#include <algorithm>
#include <climits>

#include "../sgemm.h"
#include "parts.cuh"
#include "plan.h"
#include "thin.cuh"
#include "tile.cuh"

namespace {

using Kernel = void (*)(Product, float);

// Runs a tile of plan.h.
struct Launch {
  Kernel kernel;
  int threads;
};

template <class S, int tile> Launch by_tiles(const Sgemm::Args& p) {
  constexpr sgemm::Tile kPlanned = sgemm::kTiles[tile];
  static_assert(kPlanned.rows == S::kRows && kPlanned.columns == S::kColumns);
  static_assert(kPlanned.depth == S::kDepth && 32 * kPlanned.warps == S::kThreads);
  return {p.n % 4 == 0 ? multiply<S, 4> : multiply<S, 1>, S::kThreads};
}

// Of the thin ones plan() knows these sizes.
static_assert(kThin == 8 && kRowsColumns == 128 && kColumnsRows == 64);

Launch launch_of(int tile, const Sgemm::Args& p) {
  switch (tile) {
    case 0: return by_tiles<Shape<2, 2, 8, 16, 3, 2>, 0>(p);
    case 1: return by_tiles<Shape<1, 2, 8, 16, 4, 4>, 1>(p);
    case 2: return by_tiles<Shape<2, 2, 8, 8, 4, 4>, 2>(p);
    case 3: return by_tiles<Shape<1, 2, 8, 8, 4, 8>, 3>(p);
    case 4: return by_tiles<Shape<1, 2, 4, 8, 4, 8>, 4>(p);
    case 5: return by_tiles<Shape<2, 1, 8, 8, 4, 8>, 5>(p);
    case 6: return by_tiles<Shape<1, 1, 2, 8, 4, 12>, 6>(p);
    case sgemm::kFewRows:
      return {p.m == 1   ? few_rows<1>
              : p.m == 2 ? few_rows<2>
              : p.m <= 4 ? few_rows<4>
                         : few_rows<8>,
              kThinThreads};
    default:
      return {p.n == 1   ? few_columns<1>
              : p.n == 2 ? few_columns<2>
              : p.n <= 4 ? few_columns<4>
                         : few_columns<8>,
              kThinThreads};
  }
}

sgemm::Plan choose(const Sgemm::Args& p) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return sgemm::plan(p.m, p.n, p.k, multiprocessors);
}

auto make(const Sgemm::Args& p) {
  if (std::max({p.m, p.n, p.k}) > INT_MAX / 2 || std::min<wb::i64>(p.m, 128) * p.k > UINT_MAX)
    throw wb::Unsupported("too large: it counts with 32 bits");
  const sgemm::Plan plan = choose(p);
  const wb::i64 count = p.m * p.n, pitch = (count + 3) / 4 * 4;
  const bool cut = plan.parts > 1;
  const wb::i64 held = cut ? plan.parts * pitch : 1;
  const auto scratch = wb::make_device_array<float>(held);
  // What lies behind a part's last element is added up in quads, too, and then stored nowhere.
  WB_CHECK(cudaMemset(scratch.get(), 0, held * sizeof(float)));
  const auto as_int = [](wb::i64 n) { return static_cast<int>(n); };
  const Product product{.m = as_int(p.m),
                        .n = as_int(p.n),
                        .k = as_int(p.k),
                        .part = as_int(plan.part),
                        .tiles = as_int(plan.tiles()),
                        .across = as_int(plan.across),
                        .a = p.a,
                        .b = p.b,
                        .c = cut ? scratch.get() : p.c,
                        .pitch = cut ? pitch : 0};
  return [=, own = launch_of(plan.tile, p)](cudaStream_t stream) {
    if (count == 0) return;
    own.kernel<<<wb::grid(plan.tiles() * plan.parts), own.threads, 0, stream>>>(product, 1);
    if (cut)
      add_parts<<<wb::grid((count + 4 * kQuads - 1) / (4 * kQuads)),
                  dim3(kQuads, std::min(plan.parts, kMostAdders)), 0, stream>>>(
          count, pitch, plan.parts, scratch.get(), p.c);
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(Sgemm, all_shapes, make);
WB_CASE_NOTE(Sgemm, [](const Sgemm::Args& p) { return choose(p).text(); });
