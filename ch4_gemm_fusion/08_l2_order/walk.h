// The CPU's product, for any order of tiles. Strips of A and panels of B are packed first, all of
// them; then each core makes its share of the list, one tile of C after the other, with the
// micro-kernel of shared/fused_gemm.h. A tile reads one strip of A and one panel of B to the end.
#pragma once

#include <unistd.h>

#include "../shared/fused_gemm.h"
#include "l2_order.h"
#include "orders.h"
#include "wb/cpu.h"

namespace {

using fused::kColumns, fused::kRows;  // of a tile

inline int tiles(wb::i64 size, int tile) { return static_cast<int>((size + tile - 1) / tile); }
inline int down(const L2Order::Args& p) { return tiles(p.m, kRows); }
inline int across(const L2Order::Args& p) { return tiles(p.n, kColumns); }

struct Sums {  // C is the sums
  fused::Vector operator()(fused::Vector sums, wb::i64) const { return sums; }
};
struct Relu {  // of the exercise's C
  fused::Vector operator()(fused::Vector sums, wb::i64) const {
    return sums > 0 ? sums : fused::Vector{};
  }
};

template <class T, class Epilogue>
void make_tiles(const L2Order::Args& p, const Order& order, float* strips, float* panels,
                Epilogue epilogue) {
  const T *a = static_cast<const T*>(p.a), *b = static_cast<const T*>(p.b);
  T* const c = static_cast<T*>(p.c);
#pragma omp parallel
  {
#pragma omp for nowait
    for (wb::i64 i = 0; i < down(p); ++i)
      fused::pack<kRows>(a + i * kRows * p.k, p.m - i * kRows, p.k, p.k, 1,
                         strips + i * kRows * p.k);
#pragma omp for
    for (wb::i64 j = 0; j < across(p); ++j)
      fused::pack<kColumns>(b + j * kColumns * p.k, p.n - j * kColumns, p.k, p.k, 1,
                            panels + j * kColumns * p.k);
#pragma omp for schedule(static)
    for (std::size_t t = 0; t < order.size(); ++t) {
      const wb::i64 row = order[t].row * kRows, column = order[t].column * kColumns;
      alignas(64) float out[kRows * kColumns];
      fused::tile(p.k, strips + row * p.k, panels + column * p.k, row, column, epilogue, out);
      const wb::i64 rows = std::min<wb::i64>(kRows, p.m - row);
      const wb::i64 columns = std::min<wb::i64>(kColumns, p.n - column);
      for (wb::i64 r = 0; r < rows; ++r)
        for (wb::i64 x = 0; x < columns; ++x)
          c[(row + r) * p.n + column + x] = static_cast<T>(out[r * kColumns + x]);
    }
  }
}

inline double l2_bytes() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? static_cast<double>(bytes) : 512 << 10;
}

// The bytes that a core asks of its L2: a tile after the other, each to the end.
inline std::string model(const L2Order::Args& p, const Order& order) {
  const double k = static_cast<double>(p.k);
  return traffic(order, {down(p), across(p), 4 * kRows * k, 4 * kColumns * k}, 1, 1, l2_bytes())
      .text();
}

template <class Epilogue = Sums>
std::function<void()> multiply(const L2Order::Args& p, const Order& order, Epilogue epilogue = {}) {
  const std::shared_ptr<float[]> strips(new float[down(p) * kRows * p.k]);
  const std::shared_ptr<float[]> panels(new float[across(p) * kColumns * p.k]);
  return wb::with_dtype(p.dtype, [&](auto zero) -> std::function<void()> {
    return [=] { make_tiles<decltype(zero)>(p, order, strips.get(), panels.get(), epilogue); };
  });
}

}  // namespace
