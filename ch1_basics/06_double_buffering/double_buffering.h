// A long recording passes through in chunks: copy one in, compute on it, copy the result out. No
// stage depends on its own past, so all three can work at the same time, each on another chunk.
//
// The recording has two channels of 8-bit mu-law samples, as telephones use. Each pair is expanded,
// mixed, and drives a small simulation that gives one float. The simulation represents any work
// that a program does with its data (with only 65,536 different pairs a table would do; the
// reference uses one).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "wb/problem.h"

// An 8-bit code is sign, exponent and 4-bit mantissa, inverted (ITU-T G.711); gives -32124..32124.
constexpr int expand(std::uint8_t code) {
  const int bits = ~code & 0xFF;
  const int magnitude = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132;
  return bits & 0x80 ? -magnitude : magnitude;
}

// Mean of both channels, in (-1, 1); exact in float.
constexpr float mix(std::uint8_t left, std::uint8_t right) {
  return static_cast<float>(expand(left) + expand(right)) * 0x1p-16f;
}

// 8 * rounds steps of y = rate * y + drive, with a rate near 1: 16 * rounds flops.
constexpr int kStepsPerRound = 8;
constexpr float drive(int step) {
  constexpr float values[kStepsPerRound] = {0.10f, 0.20f, 0.15f, 0.05f, 0.30f, 0.12f, 0.08f, 0.25f};
  return values[step];
}
template <class T> constexpr T simulate(T sample, int rounds) {
  const T rate = 1 + sample * T(0x1p-11);
  T y = 0;
  for (int round = 0; round < rounds; ++round)
    for (int step = 0; step < kStepsPerRound; ++step) y = y * rate + drive(step);
  return y;
}

struct DoubleBuffering {
  static constexpr wb::Clock clock = wb::Clock::wall;
  // The CPU gets fewer samples and rounds, so that loading takes more than half as long as
  // computing, and the whole some 10 ms.
  // First the chunk that suits, then one that is too small and one that is too large.
  static constexpr const char* case_names[] = {"{samples/chunk} chunks of {chunk} samples"};
  static constexpr wb::Case bench[] = {{{"samples", 1 << 27}, {"chunk", 1 << 21}, {"rounds", 192}},
                                       {{"samples", 1 << 27}, {"chunk", 1 << 18}, {"rounds", 192}},
                                       {{"samples", 1 << 27}, {"chunk", 1 << 24}, {"rounds", 192}}};
  static constexpr wb::Case bench_cpu[] = {
      {{"samples", 1 << 23}, {"chunk", 1 << 17}, {"rounds", 6}},
      {{"samples", 1 << 23}, {"chunk", 1 << 12}, {"rounds", 6}},
      {{"samples", 1 << 23}, {"chunk", 1 << 21}, {"rounds", 6}}};
  static constexpr wb::Sweep sweeps[] = {{"chunk", 1 << 16, 1 << 25}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"chunk", 1 << 10, 1 << 21}};
  static constexpr wb::Case test[] = {
      {{"samples", 1}, {"chunk", 1}, {"rounds", 1}},
      {{"samples", 31}, {"chunk", 33}, {"rounds", 3}},
      {{"samples", 129}, {"chunk", 1}, {"rounds", 2}},
      {{"samples", 127}, {"chunk", 127}, {"rounds", 5}},
      {{"samples", 10'007}, {"chunk", 1009}, {"rounds", 6}},
      {{"samples", 100'003}, {"chunk", 1 << 12}, {"rounds", 7}},
      {{"samples", 257}, {"chunk", 64}, {"rounds", 0}},
      {{"samples", 0}, {"chunk", 16}, {"rounds", 4}},
  };

  struct Args {
    wb::i64 samples, chunk;
    int rounds;
    const std::uint8_t* recording;  // 2 * samples: left, right, left, right ...
    float* result;                  // samples; both in pinned host memory on CUDA

    wb::i64 chunks() const { return (samples + chunk - 1) / chunk; }
    wb::i64 first(wb::i64 i) const { return i * chunk; }                            // of chunk i
    wb::i64 size(wb::i64 i) const { return std::min(chunk, samples - i * chunk); }  // of chunk i
    wb::i64 largest() const { return std::min(chunk, samples); }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    if (c["chunk"] < 1) throw wb::Unsupported("a chunk has a sample at least");
    const wb::i64 samples = c["samples"];
    return {samples, c["chunk"], static_cast<int>(c["rounds"]),
            io.in<std::uint8_t>("recording", 2 * samples, {}, wb::Space::pinned),
            io.out<float>("result", samples, wb::Space::pinned)};
  }

  // Results are twice the size of the recording, so the link towards the host is the slowest stage.
  static wb::Cost cost(const Args& p) {
    const double n = p.samples;
    return {.flops = 2.0 * kStepsPerRound * p.rounds * n,
            .read = 2 * n,
            .write = 4 * n,
            .to_device = 2 * n,
            .to_host = 4 * n};
  }

  // Nothing cancels, as rate and drive are positive: each step adds at most 2^-24 for the rounding
  // of the rate and two times that for multiplication and addition.
  static wb::Tolerance tolerance(const Args& p) {
    return {.rel = 3.0 * kStepsPerRound * p.rounds * 0x1p-24};
  }

  static void reference(const Args& p) {
    std::vector<double> answer(1 << 16);
    for (int pair = 0; pair < 1 << 16; ++pair)
      answer[pair] = simulate<double>(mix(pair >> 8, pair & 255), p.rounds);
    for (wb::i64 i = 0; i < p.samples; ++i)
      p.result[i] = static_cast<float>(answer[p.recording[2 * i] << 8 | p.recording[2 * i + 1]]);
  }
};
