// Which kernel takes a product, by its shape. A pure function, so that it can be printed and
// tested.
#pragma once

#include <string>

#include "wb/axes.h"

namespace any_shape {

enum class Way { aligned, unaligned, persistent };  // TMA; loads by threads; ../fused_gemm.cuh

struct Plan {
  Way way;
  int rows, columns;  // of a tile
  int slices;         // of k, each of one block of a cluster
  bool padded;        // A and B are copied first, to rows that TMA can read
};

}  // namespace any_shape
