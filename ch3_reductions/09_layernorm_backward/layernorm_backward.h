// The gradients of LayerNorm and RMSNorm: ../norms/norm_rows.h has the formulas, the inputs and the
// tolerance.
#pragma once

#include "../norms/norm_rows.h"

struct LayerNormBackward : NormRows {
  static constexpr wb::i64 kKi = 1 << 10;
  static constexpr const char* case_names[] = {"{op}, {rows} rows of {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {matrix("layernorm_backward", "fp32", 8 * kKi, 8 * kKi),
                                       matrix("layernorm_backward", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("rmsnorm_backward", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("layernorm_backward", "fp32", 64 * kKi, kKi)};
  static constexpr wb::Case bench_cpu[] = {matrix("layernorm_backward", "fp32", 4096, 4096)};
  static constexpr wb::Case test[] = {matrix("layernorm_backward", "fp32", 0, 5),
                                      matrix("rmsnorm_backward", "bf16", 5, 0),
                                      matrix("layernorm_backward", "fp32", 1, 1),
                                      matrix("rmsnorm_backward", "fp16", 33, 31),
                                      matrix("layernorm_backward", "bf16", 129, 64),
                                      matrix("layernorm_backward", "fp32", 2203, 129),
                                      matrix("layernorm_backward", "fp16", 127, 1000),
                                      matrix("rmsnorm_backward", "fp32", 1031, 1024),
                                      matrix("layernorm_backward", "fp32", 400, 4099),
                                      matrix("layernorm_backward", "fp32", 300, 8192),
                                      matrix("layernorm_backward", "bf16", 311, 8192),
                                      matrix("rmsnorm_backward", "bf16", 13, 20'000),
                                      matrix("layernorm_backward", "fp32", 3, 65'536),
                                      view("layernorm_backward", "fp32", 67, 1000, 1003, 3),
                                      view("rmsnorm_backward", "bf16", 129, 512, 520, 8),
                                      matrix("layernorm_backward", "fp16", 33, 31),
                                      matrix("layernorm_backward", "bf16", 5, 8200),
                                      matrix("rmsnorm_backward", "fp32", 129, 33),
                                      matrix("rmsnorm_backward", "fp32", 5, 8196),
                                      matrix("layernorm_backward", "fp32", 31, 33),
                                      matrix("layernorm_backward", "fp32", 1031, 127)};
};

// The exercise: dweight and dbias alone, as where x is the input of a network and needs no
// gradient. x and dy are read once, and nothing of their size is written.
struct WeightGradients : LayerNormBackward {
  static Args bind(wb::Binder& io, const wb::Case& c) { return NormRows::bind(io, c, false); }
  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.rows) * static_cast<double>(p.columns);
    const double row = element_bytes(p.dtype) * static_cast<double>(p.columns);
    return {.flops = (p.rms ? 3 : 5) * elements,
            .read = 2 * element_bytes(p.dtype) * elements +
                    (p.rms ? 4 : 8) * static_cast<double>(p.rows),
            .write = (p.rms ? 1 : 2) * row};
  }
};
