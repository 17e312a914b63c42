// How a configuration of candidate.cu is launched: what follows from its values and from the case.
#pragma once

#include <functional>
#include <string_view>

#include "../../ch4_gemm_fusion/shared/tensor_map.h"
#include "../engine/candidate_cuda.h"
#include "gemm_tiles.h"
#include "shape.h"
#include "wb/half.cuh"

namespace tiles {

using Function = std::function<void(cudaStream_t)>;

inline wb::i64 count(const GemmTiles::Args& p, int bm, int bn) {  // of tiles
  return (p.m + bm - 1) / bm * ((p.n + bn - 1) / bn);
}

template <class T> Function launch(const GemmTiles::Args& p, const tune::Choice& v) {
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

// `choose`: what gives the configuration, once it is clear that this GPU can.
inline Function launch(const GemmTiles::Args& p, const std::function<tune::Choice()>& choose) {
  const std::string_view type = p.dtype;
  if (type == "fp32") throw wb::Unsupported("tensor cores: fp16 or bf16");
  if (const char* why = hopper::obstacle(p.m, p.n, p.k)) throw wb::Unsupported(why);
  return type == "fp16" ? launch<__half>(p, choose()) : launch<__nv_bfloat16>(p, choose());
}
inline Function launch(const GemmTiles::Args& p, const char* configuration) {
  return launch(p, [=] { return tune::compiled(WB_LESSON "/candidate.cu", configuration); });
}

}  // namespace tiles
