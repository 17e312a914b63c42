// The three stages on the CPU. Cores share the rows of a frame.
#pragma once

#include <omp.h>

#include <algorithm>

#include "profiling.h"
#include "wb/cpu.h"

namespace {

// Calls stage(row) for all rows of a frame, an equal share of them on each core.
template <class F> void for_rows(const Profiling::Args& p, const char* name, F stage) {
#pragma omp parallel
  {
    const wb::Span span(wb::Work::compute, name);
    const wb::i64 cores = omp_get_num_threads(), each = (p.rows + cores - 1) / cores,
                  first = each * omp_get_thread_num(), last = std::min(p.rows, first + each);
    for (wb::i64 row = first; row < last; ++row) stage(row);
  }
}

// Of a function that is not inlined a profile shows the name.
#define PROFILED [[gnu::noinline]] inline

// Stage 1, a row: the sensor's curve and the gain.
PROFILED void correct(const float* raw, const float* gain, float* image, wb::i64 columns) {
#pragma omp simd
  for (wb::i64 column = 0; column < columns; ++column)
    image[column] = gain[column] * light(raw[column]);
}

// Stage 2, a frame: the mean of each row.
PROFILED void row_levels(const Profiling::Args& p, const float* image, float* level) {
  const wb::Span span(wb::Work::compute, "row_levels");
  std::fill_n(level, p.rows, 0.0f);
  for (wb::i64 column = 0; column < p.columns; ++column)
    for (wb::i64 row = 0; row < p.rows; ++row) level[row] += image[row * p.columns + column];
  for (wb::i64 row = 0; row < p.rows; ++row) level[row] /= static_cast<float>(p.columns);
}

// The same for one row, from its first pixel to its last.
PROFILED float row_level(const float* image, wb::i64 columns) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (wb::i64 column = 0; column < columns; ++column) sum += image[column];
  return sum / static_cast<float>(columns);
}

// Stage 3, a row: the level is taken off.
PROFILED void subtract(const float* pixels, float level, float* image, wb::i64 columns) {
  for (wb::i64 column = 0; column < columns; ++column) image[column] = pixels[column] - level;
}

// A frame's own memory, with a copy of what the camera sent.
PROFILED std::vector<float> fetch(const Profiling::Args& p, wb::i64 frame) {
  const wb::Span span(wb::Work::copy, "fetch");
  return {p.raw + frame * p.pixels(), p.raw + (frame + 1) * p.pixels()};
}

}  // namespace
