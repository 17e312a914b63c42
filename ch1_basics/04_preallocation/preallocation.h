// Requests arrive one after the other, each with a signal to sharpen: blur it twice, then move each
// sample away from its blurred neighbourhood. The three passes need two temporary arrays, and the
// question is where those come from.
//
// (A blur needs its neighbours' values from the pass before, so a pass has to end before the next
// begins, and what it wrote needs memory.)
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "wb/problem.h"

// One sample of each pass. Factors are powers of two, so that only the additions round.
template <class T> constexpr T blurred_sample(T left, T middle, T right) {
  return (left + right) * T(0.25) + middle * T(0.5);
}
template <class T> constexpr T sharpened_sample(T signal, T smooth) {
  return signal + (signal - smooth) * T(0.5);
}

struct Preallocation {
  static constexpr wb::Clock clock = wb::Clock::wall;
  // After the last request the host waits for the answers. Temporaries of 4 MiB, of 256 KiB and of
  // 64 MiB; last a request that is waited for alone. A CPU gets fewer samples; 32 MiB is the size
  // from which the C library always asks the system for fresh pages.
  static constexpr const char* case_names[] = {"{requests} requests of {samples} samples"};
  static constexpr wb::Case bench[] = {{{"requests", 20}, {"samples", 1 << 20}},
                                       {{"requests", 20}, {"samples", 1 << 16}},
                                       {{"requests", 20}, {"samples", 1 << 24}},
                                       {{"requests", 1}, {"samples", 1 << 20}}};
  static constexpr wb::Case bench_cpu[] = {{{"requests", 2}, {"samples", 1 << 23}},
                                           {{"requests", 20}, {"samples", 1 << 20}},
                                           {{"requests", 20}, {"samples", 1 << 16}}};
  static constexpr wb::Case test[] = {
      {{"requests", 1}, {"samples", 1}},     {{"requests", 3}, {"samples", 2}},
      {{"requests", 2}, {"samples", 31}},    {{"requests", 7}, {"samples", 33}},
      {{"requests", 5}, {"samples", 127}},   {{"requests", 4}, {"samples", 129}},
      {{"requests", 3}, {"samples", 1009}},  {{"requests", 2}, {"samples", 150'001}},
      {{"requests", 3}, {"samples", 65536}}, {{"requests", 0}, {"samples", 257}},
      {{"requests", 4}, {"samples", 0}}};
  static constexpr wb::Sweep sweeps[] = {{"samples", 1 << 12, 1 << 24, wb::Show::bandwidth, 4}};
  static constexpr wb::Sweep sweeps_cpu[] = {{"samples", 1 << 12, 1 << 23, wb::Show::bandwidth, 4}};

  struct Args {
    wb::i64 requests, samples;
    const float* signals;  // requests x samples
    float* answers;        // requests x samples

    const float* signal(wb::i64 request) const { return signals + request * samples; }
    float* answer(wb::i64 request) const { return answers + request * samples; }
  };

  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 requests = c["requests"], samples = c["samples"];
    return {requests, samples, io.in<float>("signals", requests * samples),
            io.out<float>("answers", requests * samples)};
  }

  static wb::Items items(const Args& p) { return {static_cast<double>(p.requests), "request"}; }

  // The temporaries' traffic is no part of it: it comes from the way the passes are written.
  static wb::Cost cost(const Args& p) {
    const double n = static_cast<double>(p.requests) * static_cast<double>(p.samples);
    return {.flops = 11 * n, .read = 4 * n, .write = 4 * n};
  }

  // In units of 2^-24, for values up to 1: a blur adds 0.5 and 1 and passes on what it was given,
  // so 3 after two. Half of (2 for the difference + 3), and 2 for the last sum, which is at most 2:
  // 4.5. The reference, stored as float, adds 2.
  static wb::Tolerance tolerance(const Args&) { return {.abs = 6.5 * 0x1p-24}; }

  static void reference(const Args& p) {
    const auto blurred = [&](wb::i64 request, wb::i64 i) {  // of the sample nearest to i
      const float* x = p.signal(request);
      const wb::i64 last = p.samples - 1;
      i = std::clamp<wb::i64>(i, 0, last);
      return blurred_sample<double>(x[std::max<wb::i64>(i - 1, 0)], x[i], x[std::min(i + 1, last)]);
    };
    for (wb::i64 r = 0; r < p.requests; ++r)
      for (wb::i64 i = 0; i < p.samples; ++i) {
        const double smooth = blurred_sample(blurred(r, i - 1), blurred(r, i), blurred(r, i + 1));
        p.answer(r)[i] = static_cast<float>(sharpened_sample<double>(p.signal(r)[i], smooth));
      }
  }
};

// The exercise on a CPU: a request's first sample says how urgent it is, and the most urgent one's
// answer comes first; of equal ones the one that came first. Where an answer goes is known when all
// have come.
struct MostUrgentFirst : Preallocation {
  static void reference(const Args& p) {
    if (p.samples == 0) return;
    Preallocation::reference(p);
    const std::vector<float> answers(p.answers, p.answers + p.requests * p.samples);
    std::vector<wb::i64> order(p.requests);
    std::iota(order.begin(), order.end(), wb::i64{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](wb::i64 a, wb::i64 b) { return *p.signal(a) > *p.signal(b); });
    for (wb::i64 i = 0; i < p.requests; ++i)
      std::copy_n(answers.begin() + order[i] * p.samples, p.samples, p.answer(i));
  }
};
