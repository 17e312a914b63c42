// One layer of a network: y = W x for each of `batch` samples; W is m x k, fp32. One sample needs
// every weight for a single multiplication and addition, so reading the weights is all that it
// does. Samples that come together can share what was read.
#pragma once

#include "wb/problem.h"

struct BatchSize {
  // First a batch near the ridge of a GPU's roofline, then one sample, then far behind the ridge.
  static constexpr wb::Shape bench[] = {{.m = 4096, .k = 4096, .batch = 32},
                                        {.m = 4096, .k = 4096, .batch = 1},
                                        {.m = 4096, .k = 4096, .batch = 256},
                                        {.m = 4096, .k = 4096, .batch = 4096}};
  static constexpr wb::Shape bench_cpu[] = {{.m = 4096, .k = 4096, .batch = 32},
                                            {.m = 4096, .k = 4096, .batch = 1},
                                            {.m = 4096, .k = 4096, .batch = 128}};
  static constexpr wb::Shape test[] = {
      {.m = 1, .k = 1, .batch = 1},     {.m = 31, .k = 33, .batch = 1},
      {.m = 33, .k = 31, .batch = 7},   {.m = 127, .k = 128, .batch = 8},
      {.m = 129, .k = 127, .batch = 9}, {.m = 257, .k = 1009, .batch = 33},
      {.m = 64, .k = 516, .batch = 41}, {.m = 300, .k = 500, .batch = 130},
      {.m = 5, .k = 7, .batch = 0},     {.m = 0, .k = 7, .batch = 3}};
  static constexpr wb::Sweep sweeps[] = {{"batch", &wb::Shape::batch, 1, 4096, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"batch", &wb::Shape::batch, 1, 256, wb::Show::flops}};

  struct Args {
    wb::i64 m, k, batch;
    const float *w, *x;  // m x k, batch x k; both row-major
    float* y;            // batch x m
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    return {s.m,
            s.k,
            s.batch,
            io.in<float>("w", s.m * s.k),
            io.in<float>("x", s.batch * s.k),
            io.out<float>("y", s.batch * s.m)};
  }

  // Every weight once, however many samples there are.
  static wb::Cost cost(const Args& p) {
    const double m = p.m, k = p.k, batch = p.batch;
    return {.flops = 2 * m * k * batch, .read = 4 * (m * k + batch * k), .write = 4 * batch * m};
  }
  static wb::Items items(const Args& p) {
    return {.count = static_cast<double>(p.batch), .name = "sample", .rate = true};
  }

  // A sum of k products of values in [-1, 1): adding them one by one in fp32 errs by 0.14 * k *
  // 2^-24 (root mean square, random signs), so 2 * k * 2^-24 is 14 times that: never reached by
  // honest fp32, and a fiftieth of what inputs rounded to TF32 (10 bits instead of 23) would cost.
  static wb::Tolerance tolerance(const Args& p) {
    return {.abs = 2 * static_cast<double>(p.k) * 0x1p-24, .sampled = stride(p) > 1};
  }

  static void reference(const Args& p) {
    const wb::i64 step = stride(p);
    for (wb::i64 i = 0; i < p.batch * p.m; i += step) {
      const float *row = p.w + i % p.m * p.k, *sample = p.x + i / p.m * p.k;
      double sum = 0;
      for (wb::i64 l = 0; l < p.k; ++l) sum += static_cast<double>(row[l]) * sample[l];
      p.y[i] = static_cast<float>(sum);
    }
  }

 private:
  // Large products are checked at every so many values of y, an odd number, so that over the
  // samples all columns are met; at m = k = batch = 4096 that is 31 values of each 128 x 128 tile.
  static wb::i64 stride(const Args& p) { return 1 + 2 * (p.m * p.k * p.batch >> 28); }
};
