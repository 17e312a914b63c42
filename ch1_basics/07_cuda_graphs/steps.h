// A step on the CPU, and the share of it that one thread does.
#pragma once

#include "cuda_graphs.h"
#include "wb/cpu.h"

namespace {

// Points [first, last) of the ring, one step on.
inline void advance(wb::i64 n, const float* from, float* to, wb::i64 first, wb::i64 last) {
  const wb::Span span(wb::Work::compute, "step");
  if (first == last) return;
  const wb::i64 inner = std::max<wb::i64>(first, 1), end = std::min(last, n - 1);
  if (first == 0) to[0] = next(from[n - 1], from[0], from[1 % n]);
#pragma omp simd
  for (wb::i64 i = inner; i < end; ++i) to[i] = next(from[i - 1], from[i], from[i + 1]);
  if (last == n && n > 1) to[n - 1] = next(from[n - 2], from[n - 1], from[0]);
}

// Where the share of a team's member starts; it ends where the next one's starts.
inline wb::i64 share(wb::i64 n, int member, int size) { return n * member / size; }

}  // namespace
