// Against step 2: the first stage reads the frame where the camera put it and writes the image, and
// the third changes the image in place. No frame is copied.
//
// Predict: the stages are those of step 2. How much of its time was the copy?
#include "stages.h"

namespace {

void run(const Profiling::Args& p) {
  for (wb::i64 frame = 0; frame < p.frames; ++frame) {
    const float* raw = p.raw + frame * p.pixels();
    float *image = p.image + frame * p.pixels(), *level = p.levels + frame * p.rows;
    const auto at = [&p](wb::i64 row) { return row * p.columns; };
    for_rows(p, "correct",
             [&](wb::i64 row) { correct(raw + at(row), p.gain, image + at(row), p.columns); });
    for_rows(p, "row_levels",
             [&](wb::i64 row) { level[row] = row_level(image + at(row), p.columns); });
    for_rows(p, "subtract", [&](wb::i64 row) {
      subtract(image + at(row), level[row], image + at(row), p.columns);
    });
  }
}

}  // namespace

WB_CPU(Profiling, optimized, run);
