// The two stages on the CPU, the same in every variant: this lesson is about when they run. Each is
// the work of one thread.
#pragma once

#include <array>

#include "double_buffering.h"
#include "wb/cpu.h"

namespace {

constexpr auto kExpanded = [] {
  std::array<float, 256> table{};
  for (int code = 0; code < 256; ++code) table[code] = static_cast<float>(expand(code)) * 0x1p-16f;
  return table;
}();

// Reads chunk i of the recording into `samples`, expanded and mixed. The other core may have just
// read this buffer. Its cache lines are prefetched, or each store would wait for one.
inline void load(const DoubleBuffering::Args& p, wb::i64 i, float* samples) {
  const wb::Span span(wb::Work::copy, "load");
  const std::uint8_t* pairs = p.recording + 2 * p.first(i);
  for (wb::i64 j = 0; j < p.size(i); ++j) {
    if (j % 16 == 0) __builtin_prefetch(samples + j + 128, /*for writing=*/1);
    samples[j] = kExpanded[pairs[2 * j]] + kExpanded[pairs[2 * j + 1]];
  }
}

// simulate() for a block of samples, a round of all after a round of all: this fills the SIMD
// registers and hides the latency of steps that wait for each other.
constexpr int kBlock = 128;
inline void simulate_block(const float* samples, float* result, int rounds) {
  float rate[kBlock], y[kBlock] = {};
  for (int j = 0; j < kBlock; ++j) rate[j] = 1 + samples[j] * 0x1p-11f;
  for (int round = 0; round < rounds; ++round) {
#pragma omp simd
    for (int j = 0; j < kBlock; ++j)
      for (int step = 0; step < kStepsPerRound; ++step) y[j] = y[j] * rate[j] + drive(step);
  }
  std::copy(y, y + kBlock, result);
}

// Simulates chunk i.
inline void compute(const DoubleBuffering::Args& p, wb::i64 i, const float* samples) {
  const wb::Span span(wb::Work::compute, "compute");
  float* result = p.result + p.first(i);
  wb::i64 j = 0;
  for (; j + kBlock <= p.size(i); j += kBlock) simulate_block(samples + j, result + j, p.rounds);
  for (; j < p.size(i); ++j) result[j] = simulate(samples[j], p.rounds);
}

}  // namespace
