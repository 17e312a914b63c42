// The launch of a configuration of candidate.cu.
#pragma once

#include <string_view>

#include "../shared/launch_mma.cuh"
#include "gemm_tiles.h"
#include "shape.h"
#include "wb/half.cuh"

namespace tiles {

template <class T> Function launch_wgmma(const GemmTiles::Args& p, const tune::Choice& v) {
  const Shape s = shape(v);
  const tune::Kernel kernel(v, std::is_same_v<T, __half> ? "gemm_fp16" : "gemm_bf16");
  const int threads = s.threads(), bytes = s.shared_bytes(), group = v["GROUP"];
  kernel.prepare(threads, bytes);
  const int blocks = std::min<wb::i64>(count(p, s.bm, s.bn), hopper::multiprocessors() * s.blocks);
  const CUtensorMap a = hopper::tensor_map<T>(p.a, p.m, p.k, s.bm),
                    b = hopper::tensor_map<T>(p.b, p.n, p.k, s.bn),
                    c_map = hopper::tensor_map<T>(p.c, p.m, p.n, 64);
  return [=, m = int(p.m), n = int(p.n), k = int(p.k), c = static_cast<T*>(p.c)](cudaStream_t to) {
    kernel.launch(blocks, threads, bytes, to, m, n, k, group, a, b, c_map, c);
  };
}

// `choose` returns the configuration, after a check that this GPU can run it.
inline Function launch(const GemmTiles::Args& p, const std::function<tune::Choice()>& choose) {
  const std::string_view type = p.dtype;
  if (type == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  if (p.m * p.n == 0) return [](cudaStream_t) {};
  if (std::max({p.m, p.n, p.k}) > 1 << 30) throw wb::Unsupported("too large: at most 2^30 rows");
  const bool half = type == "fp16";
  if (!hopper::obstacle(p.m, p.n, p.k))
    return half ? launch_wgmma<__half>(p, choose()) : launch_wgmma<__nv_bfloat16>(p, choose());
  return half ? launch_mma<__half>(p, choose()) : launch_mma<__nv_bfloat16>(p, choose());
}
// The configuration for Hopper's kernel, and that for the one by mma.sync.
inline Function launch(const GemmTiles::Args& p, const char* wgmma, const char* mma) {
  const char* const words = hopper::obstacle(p.m, p.n, p.k) ? mma : wgmma;
  return launch(p, [=] { return tune::compiled(WB_BACKEND, WB_LESSON "/candidate.cu", words); });
}

}  // namespace tiles
