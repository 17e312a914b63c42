// The grid that covers the matrix with tiles; x counts along the rows, y down them.
#pragma once

#include "transpose.h"
#include "wb/cuda.h"

inline dim3 tile_grid(const Transpose::Args& p, int tile_rows, int tile_columns) {
  return wb::grid((p.columns + tile_columns - 1) / tile_columns,
                  (p.rows + tile_rows - 1) / tile_rows);
}
