// The exercise, solved. Along k every tile is a whole one, so the loops have constant lengths and
// the compiler gives each sum its register. Rows that C does not have are multiplied, too (any
// values in the buffer will do), and only the store looks at how many there are. The store goes by
// way of memory, once for a slice. The exercise goes there in each step along k.
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
void tile_at(int high, int wide, wb::i64 depth, const float* a, const float* b, float* c, wb::i64 n,
             bool add) {
  Vector sum[kRows][2] = {};
  for (wb::i64 l = 0; l < depth; ++l) {
    const Vector left = load(b + l * kColumns), right = load(b + l * kColumns + kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] += a[r * kPitch + l] * left;
      sum[r][1] += a[r * kPitch + l] * right;
    }
  }
  alignas(64) float out[kRows][kColumns];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) std::memcpy(out[r], sum[r], sizeof out[r]);
  for (int r = 0; r < high; ++r)
    for (int j = 0; j < wide; ++j) c[r * n + j] = (add ? c[r * n + j] : 0) + out[r][j];
}

auto make(const RegisterPressure::Args& p) {
  return make_product(
      p, kRows, kColumns,
      [n = p.n](wb::i64 rows, wb::i64 depth, const float* a, const float* b, float* c, bool add) {
        for (wb::i64 j = 0; j < n; j += kColumns)
          for (wb::i64 i = 0; i < rows; i += kRows) {
            const int high = static_cast<int>(std::min<wb::i64>(kRows, rows - i));
            const int wide = static_cast<int>(std::min<wb::i64>(kColumns, n - j));
            tile_at(high, wide, depth, a + i * kPitch, b + j * depth, c + i * n + j, n, add);
          }
      });
}

}  // namespace

WB_CPU(RegisterPressure, solution, make);
