// Softmax of rows that are too long for one block, or for one core's caches:
// ../softmax/softmax_rows.h has the formulas, the inputs and the tolerance. 512 Ki elements of fp32
// are 2 MiB, and a block of an H100 has 256 KiB of registers and 227 KiB of shared memory.
#pragma once

#include "../softmax/softmax_rows.h"

struct SoftmaxLong : SoftmaxRows {
  static constexpr wb::i64 kKi = 1 << 10, kMi = 1 << 20;
  static constexpr const char* operation = "softmax";
  static constexpr const char* same_bits[] = {"step1_shared", "optimized"};
  static constexpr const char* case_names[] = {"{op}, {rows} rows of {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {
      matrix("softmax", "fp32", 128, 512 * kKi), matrix("softmax", "bf16", 128, 512 * kKi),
      matrix("softmax", "fp32", kKi, 64 * kKi), matrix("softmax", "bf16", kKi, 64 * kKi)};
  static constexpr wb::Case bench_cpu[] = {matrix("softmax", "fp32", 16, kMi),
                                           matrix("softmax", "fp32", 1, 16 * kMi)};
  static constexpr wb::Case test[] = {matrix("softmax", "fp32", 0, 5),
                                      matrix("softmax", "fp32", 5, 0),
                                      matrix("softmax", "fp32", 1, 1),
                                      matrix("softmax", "bf16", 31, 1),
                                      matrix("softmax", "fp32", 100, 31),
                                      matrix("softmax", "bf16", 77, 33),
                                      matrix("softmax", "fp16", 65, 127),
                                      matrix("softmax", "fp32", 129, 128),
                                      matrix("softmax", "bf16", 40, 129),
                                      matrix("softmax", "fp32", 31, 1024),
                                      matrix("softmax", "fp32", 7, 4099),
                                      matrix("softmax", "fp32", 5, 16'383),
                                      matrix("softmax", "bf16", 9, 16'384),
                                      matrix("softmax", "fp32", 3, 16'411),
                                      matrix("softmax", "fp16", 3, 32'771),
                                      matrix("softmax", "fp32", 139, 20'011),
                                      matrix("softmax", "fp32", 139, 32'768),
                                      matrix("softmax", "bf16", 70, 65'536),
                                      matrix("softmax", "fp32", 37, 66'048),
                                      matrix("softmax", "fp32", 5, 131'076),
                                      matrix("softmax", "fp32", 3, 524'288),
                                      matrix("softmax", "bf16", 9, 524'287),
                                      matrix("softmax", "fp32", 1, 524'309),
                                      matrix("softmax", "fp16", 2, 1'048'584),
                                      view("softmax", "fp32", 129, 31, 33, 1),
                                      view("softmax", "bf16", 9, 4097, 5000, 3),
                                      view("softmax", "fp32", 3, 40'003, 40'321, 1),
                                      view("softmax", "fp32", 5, 40'000, 40'004, 0),
                                      view("softmax", "bf16", 5, 40'000, 40'008, 8),
                                      view("softmax", "fp16", 2, 600'000, 600'001, 7),
                                      special("softmax", "fp32", "inf", 100, 31),
                                      special("softmax", "fp32", "inf", 12, 40'003),
                                      special("softmax", "fp32", "inf", 12, 65'536),
                                      special("softmax", "bf16", "inf", 2, 600'011),
                                      special("softmax", "bf16", "inf", 10, 131'072),
                                      special("softmax", "fp32", "offset", 3, 70'001),
                                      special("softmax", "fp32", "offset", 3, 65'536),
                                      special("softmax", "bf16", "wide", 5, 30'011),
                                      special("softmax", "fp32", "wide", 5, 65'536),
                                      special("softmax", "fp32", "denormal", 33, 1031),
                                      special("softmax", "fp32", "peaks", 5, 300'007),
                                      special("softmax", "fp32", "peaks", 5, 262'144),
                                      special("softmax", "fp16", "peaks", 3, 524'288),
                                      special("softmax", "bf16", "peaks", 17, 65'536)};
};

// The exercise: log(sum of exp(x)) of each row and nothing else, as a loss needs it. x is read
// once, and only a number per row is written.
struct LogSum : SoftmaxLong {
  struct Args : SoftmaxRows::Args {
    float* log_sums;  // one per row; of no columns, none
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const SoftmaxRows::Args p = SoftmaxRows::bind(io, c, false);
    const wb::i64 rows = p.columns == 0 ? 0 : p.rows;
    return {p, io.out<float>("log_sums", rows, wb::Space::device, tolerance_of_log(p))};
  }
  static wb::Cost cost(const Args& p) {
    const double elements = static_cast<double>(p.rows) * static_cast<double>(p.columns);
    return {.flops = 4 * elements,
            .read = element_bytes(p.dtype) * elements,
            .write = 4.0 * static_cast<double>(p.rows)};
  }
  // A row that has only -inf has a sum of 0, and its logarithm is -inf.
  static void reference(const Args& p) {
    if (p.columns == 0) return;
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
#pragma omp parallel for schedule(static) if (p.rows * p.columns > 4096)
      for (wb::i64 row = 0; row < p.rows; ++row) {
        const T* x = static_cast<const T*>(p.x) + row * p.stride;
        double max = -std::numeric_limits<double>::infinity(), sum = 0;
        for (wb::i64 i = 0; i < p.columns; ++i) max = std::fmax(max, static_cast<double>(x[i]));
        const double finite = std::fmax(max, std::numeric_limits<double>::lowest());
        for (wb::i64 i = 0; i < p.columns; ++i) sum += std::exp(static_cast<double>(x[i]) - finite);
        p.log_sums[row] = static_cast<float>(max + std::log(sum));
      }
    });
  }
};
