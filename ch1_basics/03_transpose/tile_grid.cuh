// The grid that covers the matrix with tiles; x counts along the rows, y down them.
#pragma once

#include "transpose.h"
#include "wb/cuda.h"

inline dim3 tile_grid(const Transpose::Args& p, int tile_rows, int tile_columns) {
  const wb::i64 down = (p.rows + tile_rows - 1) / tile_rows;
  if (down > 65535) throw wb::Unsupported("too tall: the grid's y stops at 65,535 blocks");
  return dim3((p.columns + tile_columns - 1) / tile_columns, down);
}
