// One layer of a network: y = W x for each of `batch` samples; W is outputs x inputs, fp32. One
// sample needs every weight for a single multiplication and addition, so reading the weights is all
// that it does. Samples that come together can share what was read.
#pragma once

#include <cmath>

#include "wb/problem.h"

struct BatchSize {
  // First a batch near the ridge of a GPU's roofline, then one sample, then far beyond the ridge.
  static constexpr const char* case_names[] = {"batch of {batch}, {outputs} x {inputs} weights"};
  static constexpr wb::Case bench[] = {{{"outputs", 4096}, {"inputs", 4096}, {"batch", 32}},
                                       {{"outputs", 4096}, {"inputs", 4096}, {"batch", 1}},
                                       {{"outputs", 4096}, {"inputs", 4096}, {"batch", 256}},
                                       {{"outputs", 4096}, {"inputs", 4096}, {"batch", 4096}}};
  static constexpr wb::Case bench_cpu[] = {{{"outputs", 4096}, {"inputs", 4096}, {"batch", 32}},
                                           {{"outputs", 4096}, {"inputs", 4096}, {"batch", 1}},
                                           {{"outputs", 4096}, {"inputs", 4096}, {"batch", 128}}};
  static constexpr wb::Case test[] = {{{"outputs", 1}, {"inputs", 1}, {"batch", 1}},
                                      {{"outputs", 31}, {"inputs", 33}, {"batch", 1}},
                                      {{"outputs", 33}, {"inputs", 31}, {"batch", 7}},
                                      {{"outputs", 127}, {"inputs", 128}, {"batch", 8}},
                                      {{"outputs", 129}, {"inputs", 127}, {"batch", 9}},
                                      {{"outputs", 257}, {"inputs", 1009}, {"batch", 33}},
                                      {{"outputs", 64}, {"inputs", 516}, {"batch", 41}},
                                      {{"outputs", 300}, {"inputs", 500}, {"batch", 130}},
                                      {{"outputs", 5}, {"inputs", 7}, {"batch", 0}},
                                      {{"outputs", 0}, {"inputs", 7}, {"batch", 3}}};
  static constexpr wb::Sweep sweeps[] = {{"batch", 1, 4096, wb::Show::flops}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"batch", 1, 256, wb::Show::flops}};

  struct Args {
    wb::i64 outputs, inputs, batch;
    const float *w, *x;  // outputs x inputs, batch x inputs; both row-major
    float* y;            // batch x outputs
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 outputs = c["outputs"], inputs = c["inputs"], batch = c["batch"];
    return {outputs,
            inputs,
            batch,
            io.in<float>("w", outputs * inputs),
            io.in<float>("x", batch * inputs),
            io.out<float>("y", {{"sample", batch}, {"output", outputs}})};
  }

  // Every weight once, however many samples there are.
  static wb::Cost cost(const Args& p) {
    const double m = p.outputs, k = p.inputs, n = p.batch;
    return {.flops = 2 * m * k * n, .read = 4 * (m * k + n * k), .write = 4 * n * m};
  }
  static wb::Items items(const Args& p) {
    return {.count = static_cast<double>(p.batch), .name = "sample", .rate = true};
  }

  // A sum of k products of values in [-1, 1): adding them one by one in fp32 errs by 0.14 * k *
  // 2^-24 (root mean square, random signs), so 2 * k * 2^-24 is 14 times that, and a fiftieth of
  // what inputs rounded to TF32 (10 bits instead of 23) would cost. Of millions of sums a few end
  // four times as far from 0 as most: there an addition errs by up to 2^-24 of the sum, and k of
  // them by 0.6 sqrt(k) * 2^-24 of it: hence rel, three times that.
  static wb::Tolerance tolerance(const Args& p) {
    const double k = static_cast<double>(p.inputs);
    return {.rel = 2 * std::sqrt(k) * 0x1p-24, .abs = 2 * k * 0x1p-24, .sampled = checked(p) > 0};
  }

  static void reference(const Args& p, wb::Sampler& sampler) {
    const wb::i64 all = p.batch * p.outputs;
    for (const wb::i64 i : sampler.some(all, checked(p) > 0 ? checked(p) : all)) {
      const float *row = p.w + i % p.outputs * p.inputs, *sample = p.x + i / p.outputs * p.inputs;
      double sum = 0;
      for (wb::i64 l = 0; l < p.inputs; ++l) sum += static_cast<double>(row[l]) * sample[l];
      p.y[i] = static_cast<float>(sum);
    }
  }
  static std::vector<wb::Product> products(const Args& p) {  // y = x w^T
    return {{.a = {p.x, p.batch, p.inputs, p.inputs, 1},
             .b = {p.w, p.inputs, p.outputs, 1, p.inputs},
             .c = {p.y, p.batch, p.outputs, p.outputs, 1}}};
  }

 private:
  // Of large products so many values are computed one by one; 0: all.
  static wb::i64 checked(const Args& p) {
    const wb::i64 most = (wb::i64{1} << 27) / std::max<wb::i64>(p.inputs, 1);
    return p.outputs * p.batch > 2 * most ? most : 0;
  }
};
