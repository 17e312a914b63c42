// What a request does on the CPU, the same in every variant: this lesson is about where `blurred`
// and `smooth` come from.
#pragma once

#include "preallocation.h"
#include "wb/cpu.h"

namespace {

constexpr wb::i64 kWorthThreads = 1 << 17;  // samples

inline void blur(const float* from, float* to, wb::i64 samples) {
  if (samples == 1) to[0] = blurred_sample(from[0], from[0], from[0]);
  if (samples < 2) return;
  const wb::i64 last = samples - 1;
  to[0] = blurred_sample(from[0], from[0], from[1]);
#pragma omp parallel for simd schedule(static) if (parallel : samples >= kWorthThreads)
  for (wb::i64 i = 1; i < last; ++i) to[i] = blurred_sample(from[i - 1], from[i], from[i + 1]);
  to[last] = blurred_sample(from[last - 1], from[last], from[last]);
}

// `blurred` and `smooth` are temporaries of `samples` floats; what they held does not matter.
inline void process(const float* signal, float* answer, wb::i64 samples, float* blurred,
                    float* smooth) {
  const wb::Span span(wb::Work::compute, "request");
  blur(signal, blurred, samples);
  blur(blurred, smooth, samples);
#pragma omp parallel for simd schedule(static) if (parallel : samples >= kWorthThreads)
  for (wb::i64 i = 0; i < samples; ++i) answer[i] = sharpened_sample(signal[i], smooth[i]);
}

}  // namespace
