// C = epilogue(A B) in fp32, for any shape: set-up of what plan.h chooses. A block makes a tile of
// C from a part of k. Where k is cut, a second kernel adds up what the blocks of a tile have left
// in memory (parts.cuh), and only then the epilogue is applied.
//
//   struct Relu {  // of the sum in this column; it is not asked about columns beyond n
//     __device__ float operator()(float sum, int column) const { ... }
//   };
//   return sgemm::gemm(m, n, k, a, b, c, Relu{});  // set-up: returns a function of the stream
//
// sgemm::gemm<true> takes a B that is stored the other way round, n x k.
#pragma once

#include <algorithm>
#include <climits>
#include <functional>

#include "parts.cuh"
#include "plan.h"
#include "thin.cuh"
#include "tile.cuh"

namespace sgemm {

// Runs a tile of plan.h.
template <class Epilogue> struct Launch {
  void (*kernel)(Product, Epilogue);
  int threads;
};

template <class S, int tile, bool transposed, class Epilogue> Launch<Epilogue> by_tiles(i64 n) {
  constexpr Tile kPlanned = kTiles[tile];
  static_assert(kPlanned.rows == S::kRows && kPlanned.columns == S::kColumns);
  static_assert(kPlanned.depth == S::kDepth && 32 * kPlanned.warps == S::kThreads);
  if constexpr (transposed) return {multiply<S, 0, Epilogue>, S::kThreads};
  return {n % 4 == 0 ? multiply<S, 4, Epilogue> : multiply<S, 1, Epilogue>, S::kThreads};
}

// Of the thin ones plan() knows these sizes.
static_assert(kThin == 8 && kRowsColumns == 128 && kColumnsRows == 64);

template <bool transposed, bool swapped, class Epilogue> Launch<Epilogue> by_columns(i64 n) {
  return {n == 1   ? few_columns<1, transposed, swapped, Epilogue>
          : n == 2 ? few_columns<2, transposed, swapped, Epilogue>
          : n <= 4 ? few_columns<4, transposed, swapped, Epilogue>
                   : few_columns<8, transposed, swapped, Epilogue>,
          kThinThreads};
}

template <bool transposed, class Epilogue>
Launch<Epilogue> launch_of(const Plan& plan, i64 m, i64 n) {
  switch (plan.tile) {
    case 0: return by_tiles<Shape<2, 2, 8, 16, 3, 2>, 0, transposed, Epilogue>(n);
    case 1: return by_tiles<Shape<1, 2, 8, 16, 4, 4>, 1, transposed, Epilogue>(n);
    case 2: return by_tiles<Shape<2, 2, 8, 8, 4, 4>, 2, transposed, Epilogue>(n);
    case 3: return by_tiles<Shape<1, 2, 8, 8, 4, 8>, 3, transposed, Epilogue>(n);
    case 4: return by_tiles<Shape<1, 2, 4, 8, 4, 8>, 4, transposed, Epilogue>(n);
    case 5: return by_tiles<Shape<2, 1, 8, 8, 4, 8>, 5, transposed, Epilogue>(n);
    case 6: return by_tiles<Shape<1, 1, 2, 8, 4, 12>, 6, transposed, Epilogue>(n);
    default:
      if constexpr (transposed) {
        if (plan.swapped) return by_columns<true, true, Epilogue>(m);
      } else if (plan.tile == kFewRows) {
        return {m == 1   ? few_rows<1, Epilogue>
                : m == 2 ? few_rows<2, Epilogue>
                : m <= 4 ? few_rows<4, Epilogue>
                         : few_rows<8, Epilogue>,
                kThinThreads};
      }
      return by_columns<transposed, false, Epilogue>(n);
  }
}

// `transposed`: as in plan.h.
inline Plan choose(i64 m, i64 n, i64 k, bool transposed = false) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return plan(m, n, k, multiprocessors, transposed);
}

// A is m x k, B k x n (n x k where it is stored `transposed`), C m x n, all row-major. Throws
// wb::Unsupported where a size does not fit into 32 bits.
template <bool transposed = false, class Epilogue = Sum>
std::function<void(cudaStream_t)> gemm(i64 m, i64 n, i64 k, const float* a, const float* b,
                                       float* c, Epilogue epilogue = {}) {
  const i64 rows = std::min<i64>(transposed ? std::max(m, n) : m, 128);  // of a tile, k apart
  if (std::max({m, n, k}) > INT_MAX / 2 || rows * k > UINT_MAX)
    throw wb::Unsupported("too large: it counts with 32 bits");
  const Plan plan = choose(m, n, k, transposed);
  const i64 count = m * n, pitch = (count + 3) / 4 * 4;
  const bool cut = plan.parts > 1;
  const wb::i64 held = cut ? plan.parts * pitch : 1;
  const auto scratch = wb::make_device_array<float>(held);
  // What lies behind a part's last element is added up in quads, too, and then stored nowhere.
  WB_CHECK(cudaMemset(scratch.get(), 0, held * sizeof(float)));
  const auto as_int = [](i64 x) { return static_cast<int>(x); };
  const Product product{.m = as_int(plan.swapped ? n : m),
                        .n = as_int(plan.swapped ? m : n),
                        .k = as_int(k),
                        .part = as_int(plan.part),
                        .tiles = as_int(plan.tiles()),
                        .across = as_int(plan.across),
                        .a = plan.swapped ? b : a,
                        .b = plan.swapped ? a : b,
                        .c = cut ? scratch.get() : c,
                        .pitch = cut ? pitch : 0};
  const auto whole = launch_of<transposed, Epilogue>(plan, m, n);
  const auto part = launch_of<transposed, Sum>(plan, m, n);
  return [=](cudaStream_t stream) {
    if (count == 0) return;
    const auto blocks = wb::grid(plan.tiles() * plan.parts);
    if (cut) {
      part.kernel<<<blocks, part.threads, 0, stream>>>(product, Sum());
      add_parts<<<wb::grid((count + 4 * kQuads - 1) / (4 * kQuads)),
                  dim3(kQuads, std::min(plan.parts, kMostAdders)), 0, stream>>>(
          count, pitch, plan.parts, scratch.get(), c, as_int(n), epilogue);
    } else {
      whole.kernel<<<blocks, whole.threads, 0, stream>>>(product, epilogue);
    }
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace sgemm
