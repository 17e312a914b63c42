// The exercise, solved: a core takes 32 rows of weights, which fit into its second-level cache, and
// goes through all samples with them, 2 rows x 4 samples at a time. Their 8 vectors of sums stay in
// registers: enough to hide the latency of the additions, and few enough for any machine.
#include <algorithm>
#include <cstring>

#include "batch_size.h"
#include "wb/cpu.h"

namespace {

// Lanes that are multiplied and added at once: the widest that the machine has.
#ifdef __AVX512F__
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;
constexpr int kRows = 2, kSamples = 4, kBlock = 32;  // a block is a multiple of kRows

Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// kRows x kSamples values. At the edge, rows and samples that do not exist are replaced by some
// that do.
void tile(const BatchSize::Args& p, wb::i64 first_row, wb::i64 first_sample) {
  const float *rows[kRows], *samples[kSamples];
  for (int r = 0; r < kRows; ++r) rows[r] = p.w + std::min(first_row + r, p.outputs - 1) * p.inputs;
  for (int s = 0; s < kSamples; ++s)
    samples[s] = p.x + std::min(first_sample + s, p.batch - 1) * p.inputs;

  Vector sum[kRows][kSamples] = {};
  wb::i64 i = 0;
  for (; i + kLanes <= p.inputs; i += kLanes) {
    Vector weight[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) weight[r] = load(rows[r] + i);
#pragma GCC unroll 8
    for (int s = 0; s < kSamples; ++s) {
      const Vector value = load(samples[s] + i);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[r][s] += weight[r] * value;
    }
  }
  for (int r = 0; r < kRows && first_row + r < p.outputs; ++r)
    for (int s = 0; s < kSamples && first_sample + s < p.batch; ++s) {
      float total = 0;
      for (int lane = 0; lane < kLanes; ++lane) total += sum[r][s][lane];
      for (wb::i64 rest = i; rest < p.inputs; ++rest) total += rows[r][rest] * samples[s][rest];
      p.y[(first_sample + s) * p.outputs + first_row + r] = total;
    }
}

void run(const BatchSize::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 block = 0; block < p.outputs; block += kBlock)
    for (wb::i64 sample = 0; sample < p.batch; sample += kSamples)
      for (wb::i64 row = block; row < std::min(block + kBlock, p.outputs); row += kRows)
        tile(p, row, sample);
}

}  // namespace

WB_CPU(BatchSize, solution, run);
