// Against the baseline: the stage at the top of the profile changes. Each core walks along its
// rows, where one core walked down the columns.
//
// Predict: row_levels takes most of the baseline's time. What is at the top of the next profile?
#include "stages.h"

namespace {

void run(const Profiling::Args& p) {
  for (wb::i64 frame = 0; frame < p.frames; ++frame) {
    std::vector<float> pixels = fetch(p, frame);
    float *image = p.image + frame * p.pixels(), *level = p.levels + frame * p.rows;
    const auto at = [&p](wb::i64 row) { return row * p.columns; };
    for_rows(p, "correct",
             [&](wb::i64 row) { correct(&pixels[at(row)], p.gain, &pixels[at(row)], p.columns); });
    for_rows(p, "row_levels",
             [&](wb::i64 row) { level[row] = row_level(&pixels[at(row)], p.columns); });
    for_rows(p, "subtract", [&](wb::i64 row) {
      subtract(&pixels[at(row)], level[row], image + at(row), p.columns);
    });
  }
}

}  // namespace

WB_CPU(Profiling, step2_row_levels, run);
