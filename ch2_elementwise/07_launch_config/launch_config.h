// y = a * x for n floats: one flop for 8 bytes. What is asked here is not what the kernel computes
// but how it is launched, so the case says that, too:
//
//            on a GPU                                        on a CPU
//   k        threads a block                                 threads; 0: one a core
//   m        items (elements) a thread takes                 elements of a chunk
//   batch    blocks a multiprocessor holds at a time, which
//            go round; 0: a block for each tile, as usual    -
//
// baseline and step 1 do as the case says. On a GPU step 2 takes at least four items, and so does
// step 3, which chooses the block itself. optimized, the exercise and the solution decide for
// themselves.
#pragma once

#include "wb/variant.h"

struct LaunchConfig {
  static constexpr wb::Shape bench[] = {
      {.m = 4, .n = 1 << 26, .k = 128}, {.m = 1, .n = 1 << 26, .k = 128},
      {.m = 4, .n = 1 << 26, .k = 32},  {.m = 32, .n = 1 << 26, .k = 1024},
      {.m = 4, .n = 1 << 20, .k = 128}, {.m = 32, .n = 1 << 20, .k = 1024},
      {.m = 1, .n = 1 << 16, .k = 128}, {.m = 32, .n = 1 << 16, .k = 1024}};
  static constexpr wb::Shape bench_cpu[] = {{.m = 1 << 14, .n = 1 << 23},
                                            {.m = 1 << 4, .n = 1 << 23},
                                            {.m = 1 << 14, .n = 1 << 23, .k = 1},
                                            {.m = 1 << 10, .n = 1 << 12}};
  static constexpr wb::Sweep sweeps[] = {
      {"block", &wb::Shape::k, 32, 1024, wb::Show::bandwidth},
      {"items", &wb::Shape::m, 1, 32, wb::Show::bandwidth},
      {"blocks", &wb::Shape::batch, 1, 16, wb::Show::bandwidth},
      {"n", &wb::Shape::n, 1 << 14, 1 << 28, wb::Show::bandwidth, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"threads", &wb::Shape::k, 1, 16, wb::Show::bandwidth},
      {"chunk", &wb::Shape::m, 16, 1 << 22, wb::Show::bandwidth, 4},
      {"n", &wb::Shape::n, 1 << 10, 1 << 24, wb::Show::bandwidth, 4}};
  static constexpr wb::Shape test[] = {{.m = 1, .n = 0, .k = 32},
                                       {.m = 1, .n = 1, .k = 32},
                                       {.m = 4, .n = 31, .k = 64},
                                       {.m = 2, .n = 33, .k = 32},
                                       {.m = 8, .n = 127, .k = 96},
                                       {.m = 4, .n = 129, .k = 128},
                                       {.m = 1, .n = 4096, .k = 1024},
                                       {.m = 32, .n = 16'385, .k = 512},
                                       {.m = 16, .n = 100'003, .k = 128},
                                       {.m = 4, .n = 100'003, .k = 256, .batch = 1},
                                       {.m = 2, .n = 65'536, .k = 2},
                                       {.m = 32, .n = 300'007, .k = 32, .batch = 3},
                                       {.m = 1, .n = 100'003, .k = 8, .batch = 2},
                                       {.m = 1024, .n = 1'000'003, .k = 0},
                                       {.m = 8, .n = 2'000'003, .k = 512},
                                       {.m = 4, .n = 8'388'617, .k = 128}};

  struct Args {
    wb::i64 n, items, block, resident;  // n, m, k and batch of the case
    float a;
    const float* x;  // n
    float* y;        // n
  };

  static Args bind(wb::Binder& io, const wb::Shape& s) {
    return {s.n,
            s.m > 0 ? s.m : 1,
            s.k,
            s.batch,
            1.1f,
            io.in<float>("x", s.n),
            io.out<float>("y", s.n)};
  }

  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.n);
    return {.flops = n, .read = 4 * n, .write = 4 * n};
  }

  static wb::Tolerance tolerance(const Args&) { return {.rel = 0x1p-24}; }  // one rounding

  static void reference(const Args& p) {
#pragma omp parallel for schedule(static) if (p.n > 65536)
    for (wb::i64 i = 0; i < p.n; ++i)
      p.y[i] = static_cast<float>(static_cast<double>(p.a) * p.x[i]);
  }
};
