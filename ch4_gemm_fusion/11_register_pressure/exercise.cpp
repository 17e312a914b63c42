// One function for every tile, whole or at the edge of C: it makes `high` rows, as many as are
// left. It is right, does not waste a multiply-add, and has about half of the speed of `optimized`
// with as many rows. A register has no index that could be computed: an array that is indexed by a
// value known only at run time is in memory, so every multiply-add here loads its sum and stores
// it.
//
// TODO: let every loop over `sum` have a length that the compiler knows, and unroll it, so that the
//       sums stay in registers. What becomes of a tile at the edge?
// Goal: 0.85 times optimized at m=1024,n=1024,k=1024,rows=24
// Hints are in README.md.
#include "walk.h"
#include "wb/cpu.h"

namespace {

constexpr int kRows = std::min(8, (kRegisters - 2 - 1) / 2), kColumns = 2 * kLanes;
using Vector [[gnu::vector_size(4 * kLanes)]] = float;

inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// a: `high` rows that are kPitch apart; b: a panel of kColumns; c: rows n apart, `wide` columns.
void tile_of_any_height(int high, int wide, wb::i64 depth, const float* a, const float* b, float* c,
                        wb::i64 n, bool add) {
  Vector sum[kRows][2] = {};
  for (wb::i64 l = 0; l < depth; ++l) {
    const Vector left = load(b + l * kColumns), right = load(b + l * kColumns + kLanes);
    for (int r = 0; r < high; ++r) {
      sum[r][0] += a[r * kPitch + l] * left;
      sum[r][1] += a[r * kPitch + l] * right;
    }
  }
  for (int r = 0; r < high; ++r)
    for (int j = 0; j < wide; ++j)
      c[r * n + j] = (add ? c[r * n + j] : 0) + sum[r][j / kLanes][j % kLanes];
}

auto make(const RegisterPressure::Args& p) {
  return make_product(
      p, kRows, kColumns,
      [n = p.n](wb::i64 rows, wb::i64 depth, const float* a, const float* b, float* c, bool add) {
        for (wb::i64 j = 0; j < n; j += kColumns)
          for (wb::i64 i = 0; i < rows; i += kRows) {
            const int high = static_cast<int>(std::min<wb::i64>(kRows, rows - i));
            const int wide = static_cast<int>(std::min<wb::i64>(kColumns, n - j));
            tile_of_any_height(high, wide, depth, a + i * kPitch, b + j * depth, c + i * n + j, n,
                               add);
          }
      });
}

}  // namespace

WB_CPU(RegisterPressure, exercise, make);
