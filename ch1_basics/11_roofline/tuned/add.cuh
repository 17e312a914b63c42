// Addition with 16 bytes per load, two of them from each array before the first is used: 64 bytes
// in flight for a thread.
#pragma once

#include "../roofline.h"
#include "wb/cuda.h"

namespace {

constexpr int kAddThreads = 256, kAddQuads = 2;

__global__ void __launch_bounds__(kAddThreads)
    add(wb::i64 n, const float* a, const float* b, float* c) {
  const wb::i64 quads = n / 4;
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * kAddThreads * kAddQuads + threadIdx.x;
  float4 x[kAddQuads], y[kAddQuads];
#pragma unroll
  for (int i = 0; i < kAddQuads; ++i) {
    const wb::i64 quad = first + i * kAddThreads;
    if (quad >= quads) continue;
    x[i] = reinterpret_cast<const float4*>(a)[quad];
    y[i] = reinterpret_cast<const float4*>(b)[quad];
  }
#pragma unroll
  for (int i = 0; i < kAddQuads; ++i) {
    const wb::i64 quad = first + i * kAddThreads;
    if (quad < quads)
      reinterpret_cast<float4*>(c)[quad] = {x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z,
                                            x[i].w + y[i].w};
  }
  const wb::i64 rest = 4 * quads + threadIdx.x;  // the last one, two or three
  if (blockIdx.x == 0 && rest < n) c[rest] = a[rest] + b[rest];
}

void add(const Roofline::Args& p, cudaStream_t stream) {
  if (p.n == 0) return;
  const wb::i64 a_block = 4 * kAddThreads * kAddQuads;
  add<<<(p.n + a_block - 1) / a_block, kAddThreads, 0, stream>>>(p.n, p.a, p.b, p.c);
}

}  // namespace
