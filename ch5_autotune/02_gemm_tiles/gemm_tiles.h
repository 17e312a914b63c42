// C = leaky_relu(A B^T), as in chapter 4, with the same arrays, answers and tolerance, at other
// sizes. The best tile depends on how many tiles there are, so the sizes range from 8192 rows
// to 64.
#pragma once

#include "../../ch4_gemm_fusion/06_gemm_leaky_relu/gemm_leaky_relu.h"

struct GemmTiles : GemmLeakyRelu {
  static constexpr const char* case_names[] = {"{m} x {n} x {k}, {dtype}"};
  static constexpr wb::Case bench[] = {
      product(1024, 1024, 1024, "bf16"), product(3072, 3072, 3072, "bf16"),
      product(512, 4096, 4096, "bf16"),  product(256, 256, 8192, "bf16"),
      product(64, 8192, 8192, "bf16"),   product(8192, 8192, 512, "bf16"),
      product(4096, 4096, 4096, "fp16")};
  static constexpr wb::Case bench_cpu[] = {product(1024, 1024, 1024, "fp32"),
                                           product(2048, 2048, 64, "fp32"),
                                           product(96, 4096, 1024, "fp32")};
  static constexpr wb::Sweep sweeps[] = {{"m", 64, 8192}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"m", 16, 2048}};
  // Ragged in every axis, and k in several blocks. In 16 bits n and k are multiples of 8, for TMA,
  // or even, or odd.
  static constexpr wb::Case test[] = {
      product(1, 1, 1, "fp32"),        product(1, 33, 31, "fp32"),
      product(33, 31, 127, "fp32"),    product(2, 3, 4099, "fp32"),
      product(509, 521, 263, "fp32"),  product(300, 1100, 1030, "fp32"),
      product(0, 7, 5, "fp32"),        product(129, 136, 40, "bf16"),
      product(257, 264, 72, "fp16"),   product(131, 248, 1096, "fp16"),
      product(1700, 2600, 16, "bf16"), product(1, 2048, 4160, "fp16"),
      product(3000, 8, 520, "bf16"),   product(600, 1032, 136, "bf16"),
      product(127, 131, 129, "bf16"),  product(509, 521, 262, "fp16"),
      product(5, 7, 0, "bf16"),        product(5, 0, 7, "bf16")};
};
