// Softmax of rows that are kept on the chip, and its gradient: ../softmax/softmax_rows.h has the
// formulas, the inputs and the tolerance. The operation softmax_read is softmax and then a kernel
// that reads the result, timed together, for evict_last.cu.
#pragma once

#include "../softmax/softmax_rows.h"

struct Softmax : SoftmaxRows {
  static constexpr wb::i64 kKi = 1 << 10, kMi = 1 << 20;
  static constexpr const char* case_names[] = {"{op}, {rows} rows of {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {matrix("softmax", "fp32", 8 * kKi, 8 * kKi),
                                       matrix("softmax", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("softmax", "fp32", 256 * kKi, 256),
                                       matrix("softmax", "bf16", 64 * kKi, kKi),
                                       matrix("softmax", "fp32", 4 * kMi, 16),
                                       matrix("softmax", "fp32", 8192, 8191),
                                       matrix("softmax", "fp32", 32, kKi),
                                       matrix("backward", "fp32", 8 * kKi, 8 * kKi),
                                       matrix("backward", "bf16", 8 * kKi, 8 * kKi),
                                       matrix("backward", "fp32", 128, 512 * kKi),
                                       matrix("softmax_read", "fp32", 8 * kKi, 8 * kKi)};
  static constexpr wb::Case bench_cpu[] = {
      matrix("softmax", "fp32", 4096, 4096), matrix("softmax", "bf16", 8192, 4096),
      matrix("softmax", "fp32", 64 * kKi, 64), matrix("backward", "fp32", 4096, 4096),
      matrix("backward", "bf16", 8192, 4096)};
  static constexpr wb::Sweep sweeps[] = {{"columns", 16, 64 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"columns", 16, 64 * kKi, wb::Show::bandwidth, 2}};
  static constexpr wb::Case test[] = {matrix("softmax", "fp32", 0, 5),
                                      matrix("softmax", "fp32", 5, 0),
                                      matrix("backward", "bf16", 3, 0),
                                      matrix("softmax", "fp32", 1, 1),
                                      matrix("backward", "fp16", 1, 1),
                                      matrix("softmax", "bf16", 31, 1),
                                      matrix("softmax", "fp32", 33, 2),
                                      matrix("softmax", "fp32", 1031, 4),
                                      matrix("backward", "fp32", 517, 4),
                                      matrix("softmax", "bf16", 1033, 16),
                                      matrix("softmax", "fp16", 129, 8),
                                      matrix("softmax", "fp32", 100, 31),
                                      matrix("softmax", "bf16", 77, 33),
                                      matrix("backward", "bf16", 77, 31),
                                      matrix("softmax", "fp32", 300, 64),
                                      matrix("backward", "fp16", 65, 96),
                                      matrix("softmax", "fp16", 65, 127),
                                      matrix("softmax", "fp32", 129, 128),
                                      matrix("backward", "fp32", 40, 129),
                                      matrix("softmax", "bf16", 2203, 256),
                                      matrix("softmax", "fp32", 2137, 197),
                                      matrix("backward", "fp32", 2129, 509),
                                      matrix("softmax", "fp16", 2113, 1021),
                                      matrix("softmax", "bf16", 2111, 1024),
                                      matrix("softmax", "fp32", 7, 4099),
                                      matrix("softmax", "bf16", 31, 8192),
                                      matrix("softmax", "fp32", 5, 8191),
                                      matrix("backward", "fp32", 5, 8191),
                                      matrix("backward", "bf16", 9, 16'384),
                                      matrix("softmax", "fp32", 3, 16'411),
                                      matrix("softmax", "fp16", 3, 32'771),
                                      matrix("backward", "fp32", 3, 40'009),
                                      matrix("softmax", "fp32", 139, 20'011),
                                      matrix("softmax", "bf16", 70, 65'536),
                                      matrix("softmax", "fp32", 37, 66'048),
                                      matrix("backward", "fp32", 34, 65'537),
                                      matrix("softmax", "fp32", 3, 524'288),
                                      matrix("backward", "fp32", 2, 524'288),
                                      matrix("softmax", "bf16", 9, 524'287),
                                      matrix("softmax", "fp32", 1, 524'309),
                                      view("softmax", "fp32", 33, 4, 8, 0),
                                      view("softmax", "fp32", 129, 31, 33, 1),
                                      view("softmax", "bf16", 127, 64, 72, 0),
                                      view("backward", "fp16", 33, 129, 160, 7),
                                      view("softmax", "fp32", 67, 1000, 1003, 3),
                                      view("softmax", "bf16", 9, 4097, 5000, 3),
                                      view("softmax", "bf16", 2251, 133, 135, 5),
                                      view("backward", "bf16", 11, 8190, 8193, 5),
                                      view("softmax", "fp32", 3, 40'003, 40'321, 1),
                                      view("backward", "fp32", 3, 70'001, 70'002, 3),
                                      view("softmax", "fp16", 2, 600'000, 600'001, 7),
                                      special("softmax", "fp32", "inf", 100, 31),
                                      special("softmax", "fp32", "inf", 2203, 256),
                                      special("softmax", "bf16", "inf", 2203, 131),
                                      special("softmax", "fp16", "inf", 40, 700),
                                      special("softmax", "fp32", "inf", 40, 9001),
                                      special("softmax", "fp32", "inf", 12, 40'003),
                                      special("softmax", "bf16", "inf", 2, 600'011),
                                      special("softmax", "fp32", "offset", 129, 130),
                                      special("softmax", "fp32", "offset", 3, 70'001),
                                      special("softmax", "fp32", "wide", 300, 511),
                                      special("softmax", "bf16", "wide", 5, 30'011),
                                      special("softmax", "fp32", "denormal", 33, 1031),
                                      special("softmax", "fp32", "peaks", 17, 30'011),
                                      special("softmax", "bf16", "peaks", 41, 8192),
                                      special("softmax", "fp32", "peaks", 5, 300'007),
                                      special("softmax", "fp16", "peaks", 3, 524'286),
                                      special("backward", "bf16", "peaks", 17, 9001),
                                      special("backward", "bf16", "peaks", 5, 300'007),
                                      matrix("backward", "fp32", 77, 31),
                                      matrix("softmax", "fp32", 31, 1024),
                                      matrix("backward", "fp32", 133, 1021),
                                      matrix("backward", "bf16", 139, 1032),
                                      matrix("backward", "bf16", 2113, 99),
                                      matrix("backward", "fp32", 2113, 132),
                                      special("softmax", "bf16", "peaks", 5, 9001),
                                      matrix("softmax", "bf16", 1033, 18),
                                      matrix("softmax", "fp32", 641, 40),
                                      matrix("softmax", "fp16", 127, 63),
                                      matrix("backward", "bf16", 129, 64),
                                      matrix("backward", "bf16", 2129, 300),
                                      matrix("backward", "fp32", 2113, 252),
                                      view("softmax", "fp32", 5003, 3, 3, 1),
                                      view("softmax", "bf16", 259, 18, 18, 2),
                                      view("backward", "bf16", 641, 18, 18, 3),
                                      view("softmax", "fp16", 129, 33, 33, 7),
                                      view("backward", "fp32", 127, 7, 7, 2),
                                      view("backward", "fp16", 1, 1, 1, 7),
                                      view("softmax", "bf16", 77, 31, 33, 1),
                                      view("backward", "bf16", 77, 31, 33, 1),
                                      view("backward", "fp32", 77, 31, 32, 3),
                                      view("backward", "bf16", 2113, 99, 101, 1)};
};

// The exercise on a CPU: forward, a loss also wants log(sum of exp(x)) of each row.
struct LossSoftmax : Softmax {
  struct Args : SoftmaxRows::Args {
    float* log_sums;  // rows; of no columns, and backward, none
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const SoftmaxRows::Args p = Softmax::bind(io, c);
    const wb::i64 rows = p.backward || p.columns == 0 ? 0 : p.rows;
    return {p, io.out<float>("log_sums", rows, wb::Space::device, tolerance_of_log(p))};
  }
  static void reference(const Args& p) { write(p, p.columns > 0 ? p.log_sums : nullptr); }
};
