// A solution of the exercise: the tile goes through a local array that stays in L1. Its rows are
// one float longer than the tile, so that its columns, too, spread over all places of the cache:
// the padding of a tile in shared memory, for the same reason.
#include <algorithm>

#include "transpose.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kTile = 64;

void run(const Transpose::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 row0 = 0; row0 < p.rows; row0 += kTile)
    for (wb::i64 column0 = 0; column0 < p.columns; column0 += kTile) {
      const wb::i64 rows = std::min(kTile, p.rows - row0),
                    columns = std::min(kTile, p.columns - column0);
      float tile[kTile][kTile + 1];
      for (wb::i64 row = 0; row < rows; ++row)
        for (wb::i64 column = 0; column < columns; ++column)
          tile[row][column] = p.in[(row0 + row) * p.columns + column0 + column];
      for (wb::i64 column = 0; column < columns; ++column)
        for (wb::i64 row = 0; row < rows; ++row)
          p.out[(column0 + column) * p.rows + row0 + row] = tile[row][column];
    }
}

}  // namespace

WB_CPU(Transpose, solution, run);
