// Against the baseline: the stage with the most arithmetic gets faster code, without a profile.
// Horner's rule is a chain of 15 multiply-adds, each of which waits for the one before it.
// Estrin's scheme (Estrin 1960) makes pairs, then pairs of pairs, and its chain has four.
//
// Predict: how much faster is the whole program?
#include "estrin.h"
#include "stages.h"

namespace {

PROFILED void correct_in_pairs(const float* raw, const float* gain, float* image, wb::i64 columns) {
#pragma omp simd
  for (wb::i64 column = 0; column < columns; ++column)
    image[column] = gain[column] * light_in_pairs(raw[column]);
}

void run(const Profiling::Args& p) {
  for (wb::i64 frame = 0; frame < p.frames; ++frame) {
    std::vector<float> pixels = fetch(p, frame);
    float *image = p.image + frame * p.pixels(), *level = p.levels + frame * p.rows;
    const auto at = [&p](wb::i64 row) { return row * p.columns; };
    for_rows(p, "correct", [&](wb::i64 row) {
      correct_in_pairs(&pixels[at(row)], p.gain, &pixels[at(row)], p.columns);
    });
    row_levels(p, pixels.data(), level);
    for_rows(p, "subtract", [&](wb::i64 row) {
      subtract(&pixels[at(row)], level[row], image + at(row), p.columns);
    });
  }
}

}  // namespace

WB_CPU(Profiling, step1_suspect, run);
