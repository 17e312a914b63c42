// y = a * x: one flop for 8 bytes. What is asked here is not what the kernel computes but how it is
// launched, so the case says that, too:
//
//   on a GPU   block     threads per block
//              items     elements per thread
//              blocks    per multiprocessor, which loop over tiles; without: one per tile
//   on a CPU   chunk     elements that a thread takes at a time
//              threads   without: one per core
//
// baseline and step 1 use the numbers of the case. On a GPU step 2 takes at least four items, and
// so does step 3, which chooses the block itself. optimized, the exercise and the solution decide
// for themselves.
#pragma once

#include <algorithm>

#include "wb/variant.h"

struct LaunchConfig {
  static constexpr const char* case_names[] = {
      "{elements} elements, {items} items per thread, {blocks} blocks of {block} at a time",
      "{elements} elements, {items} items per thread, blocks of {block}",
      "{elements} elements in chunks of {chunk}"};
  static constexpr wb::Case bench[] = {{{"elements", 1 << 26}, {"block", 128}, {"items", 4}},
                                       {{"elements", 1 << 26}, {"block", 128}, {"items", 1}},
                                       {{"elements", 1 << 26}, {"block", 32}, {"items", 4}},
                                       {{"elements", 1 << 26}, {"block", 1024}, {"items", 32}},
                                       {{"elements", 1 << 20}, {"block", 128}, {"items", 4}},
                                       {{"elements", 1 << 20}, {"block", 1024}, {"items", 32}},
                                       {{"elements", 1 << 16}, {"block", 128}, {"items", 1}},
                                       {{"elements", 1 << 16}, {"block", 1024}, {"items", 32}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"elements", 1 << 23}, {"chunk", 1 << 14}},
      {{"elements", 1 << 23}, {"chunk", 1 << 4}},
      {{"elements", 1 << 23}, {"chunk", 1 << 14}, {"threads", 1}},
      {{"elements", 1 << 12}, {"chunk", 1 << 10}}};
  static constexpr wb::Sweep sweeps[] = {{"block", 32, 1024, wb::Show::bandwidth},
                                         {"items", 1, 32, wb::Show::bandwidth},
                                         {"blocks", 1, 16, wb::Show::bandwidth},
                                         {"elements", 1 << 14, 1 << 28, wb::Show::bandwidth, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {
      {"threads", 1, 16, wb::Show::bandwidth},
      {"chunk", 16, 1 << 22, wb::Show::bandwidth, 4},
      {"elements", 1 << 10, 1 << 24, wb::Show::bandwidth, 4}};
  static constexpr wb::Case test[] = {
      {{"elements", 0}, {"block", 32}, {"items", 1}},
      {{"elements", 1}, {"block", 32}, {"items", 1}},
      {{"elements", 31}, {"block", 64}, {"items", 4}},
      {{"elements", 33}, {"block", 32}, {"items", 2}},
      {{"elements", 127}, {"block", 96}, {"items", 8}},
      {{"elements", 129}, {"block", 128}, {"items", 4}},
      {{"elements", 4096}, {"block", 1024}, {"items", 1}},
      {{"elements", 16'385}, {"block", 512}, {"items", 32}},
      {{"elements", 100'003}, {"block", 128}, {"items", 16}},
      {{"elements", 100'003}, {"block", 256}, {"items", 4}, {"blocks", 1}},
      {{"elements", 65'536}, {"block", 2}, {"items", 2}},
      {{"elements", 300'007}, {"block", 32}, {"items", 32}, {"blocks", 3}},
      {{"elements", 100'003}, {"block", 8}, {"items", 1}, {"blocks", 2}},
      {{"elements", 1'000'003}, {"items", 1024}},
      {{"elements", 2'000'003}, {"block", 512}, {"items", 8}},
      {{"elements", 8'388'617}, {"block", 128}, {"items", 4}}};

  struct Args {
    wb::i64 n;
    wb::i64 items;     // on a CPU: elements of a chunk
    wb::i64 block;     // on a CPU: threads, or 0
    wb::i64 resident;  // blocks per multiprocessor, or 0
    float a;
    const float* x;  // n
    float* y;        // n
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 n = c["elements"];
    // Test cases have the GPU's names and serve both.
    const wb::i64 items = c.get("chunk", c.get("items", 1));
    return {n,
            std::max<wb::i64>(items, 1),
            c.get("threads", c.get("block", 0)),
            c.get("blocks", 0),
            1.1f,
            io.in<float>("x", n),
            io.out<float>("y", n)};
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
