// The arguments of a launch of all_shapes, and the part of a block.
#pragma once

#include "../quads.cuh"

namespace {

struct Place {
  int row, column, begin, depth;  // where the tile begins, and the part of k
  float* c;                       // the whole C, or that of the sums of this part
};

// Block i makes tile i % tiles of part i / tiles, and writes it to `c` + part * pitch.
struct Product {
  int m, n, k, part, tiles, across;  // part: of k; across: tiles of a row of tiles
  const float *a, *b;
  float* c;
  wb::i64 pitch;

  __device__ Place place(int rows, int columns) const {
    const int tile = blockIdx.x % tiles, own = blockIdx.x / tiles, begin = own * part;
    return {tile / across * rows, tile % across * columns, begin, min(part, k - begin),
            c + own * pitch};
  }
};

}  // namespace
