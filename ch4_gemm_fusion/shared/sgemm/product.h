// The arguments of a launch: the part of a block, and the epilogue, which makes of a sum what is
// stored.
#pragma once

#include "../quads.cuh"

namespace sgemm {

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

// The epilogue of a plain product, and of its parts. In `multiply` it scales each quad by 1, as
// BLAS does with alpha (01_sgemm/NOTES.md says what that is good for).
struct Sum {
  float scale = 1;
  __device__ float operator()(float sum, int) const { return sum; }
  __device__ float4 operator()(float4 s, int) const {
    return {scale * s.x, scale * s.y, scale * s.z, scale * s.w};
  }
};

// Of four neighbours in a row, from `column` on; an epilogue is not asked about columns beyond n.
template <class Epilogue>
__device__ float4 finished(const Epilogue& epilogue, float4 s, int column, int n) {
  if constexpr (requires { epilogue(s, column); }) {
    return epilogue(s, column);
  } else {
    const auto one = [&](float sum, int i) {
      return column + i < n ? epilogue(sum, column + i) : 0;
    };
    return {one(s.x, 0), one(s.y, 1), one(s.z, 2), one(s.w, 3)};
  }
}

}  // namespace sgemm
