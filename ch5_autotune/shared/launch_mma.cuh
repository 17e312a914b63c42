// The launch of a configuration of candidate_mma.cuh, on a card without wgmma.
#pragma once

#include <functional>
#include <string>

#include "../../ch4_gemm_fusion/shared/tensor_map.h"
#include "../engine/candidate_cuda.h"
#include "space_mma.h"

namespace tiles {

using Function = std::function<void(cudaStream_t)>;

template <class Args> wb::i64 count(const Args& p, int bm, int bn) {  // of tiles
  return (p.m + bm - 1) / bm * ((p.n + bn - 1) / bn);
}

template <class T, class Args> Function launch_mma(const Args& p, const tune::Choice& v) {
  const MmaShape s = mma_shape(v);
  const char unit = p.k % 8 == 0 ? '8' : p.k % 2 == 0 ? '2' : '1';
  const tune::Kernel kernel(v, (std::string("gemm_") + p.dtype + "_" + unit).c_str());
  const int threads = s.threads(), bytes = s.shared_bytes(), group = v["GROUP"];
  kernel.prepare(threads, bytes);
  const int blocks = std::min<wb::i64>(count(p, s.bm, s.bn), hopper::multiprocessors() * s.blocks);
  return [=, m = int(p.m), n = int(p.n), k = int(p.k), a = static_cast<const T*>(p.a),
          b = static_cast<const T*>(p.b), c = static_cast<T*>(p.c)](cudaStream_t to) {
    kernel.launch(blocks, threads, bytes, to, m, n, k, group, a, b, c);
  };
}

}  // namespace tiles
