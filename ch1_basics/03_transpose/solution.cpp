// A solution of the exercise: a tile of 16 rows and 256 columns goes through a local array that
// stays in L1. Its rows are one float longer than the tile, so that its columns, too, spread over
// all places of the cache: the padding of a tile in shared memory, for the same reason. A row of
// the tile is long enough for the prefetchers; a column of it is one cache line of `out`, and goes
// past the caches as a whole, so that nobody reads that line first.
#include <algorithm>

#include "../streaming.h"
#include "transpose.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kTile = 16, kWide = 256;

void run(const Transpose::Args& p) {
  const bool aligned = p.rows % 4 == 0;  // each row of `out` starts where stream() may write
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (wb::i64 row0 = 0; row0 < p.rows; row0 += kTile)
      for (wb::i64 column0 = 0; column0 < p.columns; column0 += kWide) {
        const wb::i64 rows = std::min(kTile, p.rows - row0),
                      columns = std::min(kWide, p.columns - column0);
        float tile[kTile][kWide + 1];
        for (wb::i64 row = 0; row < rows; ++row)
          for (wb::i64 column = 0; column < columns; ++column)
            tile[row][column] = p.in[(row0 + row) * p.columns + column0 + column];
        for (wb::i64 column = 0; column < columns; ++column) {
          float* to = p.out + (column0 + column) * p.rows + row0;
          wb::i64 row = 0;
          for (; aligned && row < rows; row += 4)
            stream(to + row, Float4{tile[row][column], tile[row + 1][column], tile[row + 2][column],
                                    tile[row + 3][column]});
          for (; row < rows; ++row) to[row] = tile[row][column];
        }
      }
    finish_streaming();
  }
}

}  // namespace

WB_CPU(Transpose, solution, run);
