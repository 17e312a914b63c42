// Hill climbing: the search begins anywhere and moves to the first neighbour that is faster, until
// no neighbour is: that is a local optimum. Then it begins again from another start. Neighbours
// differ by one place in one parameter.
//
// Predict: what happens if 256 rows are only good with 16 warps, and 16 warps only with 256 rows?
#include "strategies.h"

namespace {

void climb(Trials& trials, std::mt19937_64& random) {
  Configuration here = any(trials, random);
  double seconds = trials.time(here);
  for (bool faster = true; faster;) {
    faster = false;
    std::vector<Configuration> around = trials.neighbours(here, true);
    std::shuffle(around.begin(), around.end(), random);
    for (const Configuration& c : around) {
      if (trials.over()) return;
      if (const double there = trials.time(c); there < seconds) {
        here = c, seconds = there, faster = true;
        break;
      }
    }
  }
}

void search(Trials& trials, std::mt19937_64& random) {
  while (!trials.over()) climb(trials, random);
}

}  // namespace

WB_CPU(Strategies, step1_hill, each<search>);
