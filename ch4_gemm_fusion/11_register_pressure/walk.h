// The CPU's product, for any tile. Slices of A and B are packed as in 01_sgemm, and the same
// micro-kernel (shared/packed.h) walks along k with a tile's sums. Only the tile differs here.
#pragma once

#include <omp.h>

#include <array>
#include <string>
#include <utility>

#include "../shared/packed.h"
#include "register_pressure.h"

namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16, kRegisters = 32;  // floats per vector, vectors
#elif defined(__aarch64__)
constexpr int kLanes = 4, kRegisters = 32;
#else
constexpr int kLanes = 8, kRegisters = 16;
#endif

// kLength: floats per vector.
template <int kLength, int kRows, int kVectors>
void tile(wb::i64 depth, const float* a, const float* b, float* to, wb::i64 pitch, bool add) {
  block<kLength, kRows, kVectors>(depth, a, b, to, pitch, add);
}
template <int kRows, int kVectors, int kLength = kLanes>
constexpr Kernel kTile = {tile<kLength, kRows, kVectors>, kRows, kVectors* kLength};

// rows x 2 vectors. How many sums there are must be known when it is compiled, so there is a
// micro-kernel for each number of rows.
template <int kLength = kLanes> Kernel tile_of(int rows) {
  static const auto kTiles =
      []<int... kBefore>(std::integer_sequence<int, kBefore...>)->std::array<Kernel, kMostRows> {
    return {kTile<kBefore + 1, 2, kLength>...};
  }
  (std::make_integer_sequence<int, kMostRows>());
  return kTiles[rows - 1];
}

// On paper; spills.sh says what the compiler made of it.
inline std::string demand(int rows, int registers) {
  return std::to_string(2 * rows) + " sums, 2 vectors of B and a value of A for " +
         std::to_string(registers) + " registers";
}

// C = A B on all cores. They pack a slice of B together; then each takes a stretch of rows of A,
// packs it for itself and has `multiply_rows(rows, depth, a, b, c, add)` multiply it.
template <class Multiply>
auto make_product(const RegisterPressure::Args& p, int rows, int columns, Multiply multiply_rows) {
  const wb::i64 stretch = (168 + rows - 1) / rows * rows;  // whole tiles
  const wb::i64 panels = (p.n + columns - 1) / columns, own = stretch * kPitch;
  return [=, a = make_buffer(own * omp_get_max_threads()),
          b = make_buffer(panels * columns * kDepth)] {
    if (p.k == 0) std::fill(p.c, p.c + p.m * p.n, 0.0f);
#pragma omp parallel
    for (wb::i64 start = 0; start < p.k; start += kDepth) {
      const wb::i64 depth = std::min(kDepth, p.k - start);
#pragma omp for schedule(static)
      for (wb::i64 panel = 0; panel < panels; ++panel) {
        const wb::i64 j = panel * columns;
        pack_b(p.b + start * p.n + j, p.n, std::min<wb::i64>(columns, p.n - j), columns, depth,
               &b[j * depth]);
      }
#pragma omp for schedule(dynamic)
      for (wb::i64 row = 0; row < p.m; row += stretch) {
        const wb::i64 high = std::min(stretch, p.m - row);
        float* mine = &a[own * omp_get_thread_num()];
        pack_a(p.a + row * p.k + start, p.k, high, depth, mine);
        multiply_rows(high, depth, mine, b.get(), p.c + row * p.n, start > 0);
      }
    }
  };
}

inline auto make_product(const RegisterPressure::Args& p, const Kernel& kernel) {
  return make_product(
      p, kernel.rows, kernel.columns,
      [n = p.n, kernel](wb::i64 rows, wb::i64 depth, const float* a, const float* b, float* c,
                        bool add) { multiply(kernel, rows, n, depth, a, b, c, add); });
}

}  // namespace
