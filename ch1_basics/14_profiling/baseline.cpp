// The program as its author left it. Its images are right, and it was never profiled.
//
// Predict: read the stages in stages.h and this loop. Which stage takes most of the time?
#include "screen.h"
#include "stages.h"

namespace {

void run(const Profiling::Args& p) {
  for (wb::i64 frame = 0; frame < p.frames; ++frame) {
    std::vector<float> pixels = fetch(p, frame);
    float *image = p.image + frame * p.pixels(), *level = p.levels + frame * p.rows;
    const auto at = [&p](wb::i64 row) { return row * p.columns; };
    for_rows(p, "correct",
             [&](wb::i64 row) { correct(&pixels[at(row)], p.gain, &pixels[at(row)], p.columns); });
    row_levels(p, pixels.data(), level);
    for_rows(p, "subtract", [&](wb::i64 row) {
      subtract(&pixels[at(row)], level[row], image + at(row), p.columns);
    });
  }
}

}  // namespace

WB_CPU(Profiling, baseline, run);
WB_EXERCISE(Screen);
