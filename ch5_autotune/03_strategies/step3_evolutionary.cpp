// Evolution. A walk only knows where it is. This search keeps a population: the fastest twelve so
// far are the parents. A child takes each value from one of two parents, and changes some if it is
// illegal or was tried (evolution.h). So one child can combine the good values of two
// configurations.
//
// Predict: what becomes of the search when all parents are alike?
#include "evolution.h"
#include "strategies.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  Population population;
  for (int trial = 0; !trials.over(); ++trial) {
    const Configuration c = trial < 16 ? any(trials, random) : population.child(trials, random);
    population.add(trials.time(c), c);
  }
}

}  // namespace

WB_CPU(Strategies, step3_evolutionary, each<search>);
