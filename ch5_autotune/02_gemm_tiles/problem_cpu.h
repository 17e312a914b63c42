// The arguments of a case, as the CPU's kernel takes them.
#pragma once

#include "gemm_tiles.h"
#include "product.h"
#include "wb/cpu.h"

namespace tiles {

inline Product product(const GemmTiles::Args& p) {
  using In = const float*;
  if (std::string_view(p.dtype) != "fp32") throw wb::Unsupported("this kernel multiplies fp32");
  return {p.m, p.n, p.k, static_cast<In>(p.a), static_cast<In>(p.b), static_cast<float*>(p.c)};
}

}  // namespace tiles
