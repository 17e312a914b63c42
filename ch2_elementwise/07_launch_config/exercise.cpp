// Bug hunt: threads request pieces of about 4096 elements, all equally long, so that no thread ends
// with a short one or waits long for the last. A small array is left to one thread. All small tests
// pass, and it is wrong:
//
//   ./workbook compare 07_launch_config/exercise     8 Mi elements: y is wrong from 2093056 on
//   ./workbook test 07_launch_config/exercise        one case fails
//
// TODO: why from there on, and not from the start? 2093056 is 511 pieces. Which numbers does the
//       program compute for that piece?
// Goal: right at every size
// Hints are in README.md.
#include "chunk.h"
#include "wb/cpu.h"

namespace {

constexpr unsigned kPiece = 4096;  // elements

void run(const LaunchConfig::Args& p) {
  const unsigned n = static_cast<unsigned>(p.n), pieces = (n + kPiece - 1) / kPiece;
  // The first element of a piece; they share n as evenly as can be.
  const auto begin = [&](unsigned piece) { return n * piece / pieces; };
#pragma omp parallel num_threads(pieces <= 64 ? 1 : cores())
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (unsigned piece = 0; piece < pieces; ++piece) {
      const wb::i64 first = begin(piece), last = begin(piece + 1);
      scale(last - first, p.a, p.x + first, p.y + first);
    }
    finish_streaming();
  }
}

}  // namespace

WB_CPU(LaunchConfig, exercise, run);
