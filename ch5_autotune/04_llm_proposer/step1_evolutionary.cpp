// Evolution, as in the lesson before (../03_strategies/evolution.h): what every proposer that
// thinks has to beat. Eight children are made at a time, as many as a model is asked for.
//
// Predict: a model that is told nothing but the space proposes eight. How many of them are legal?
#include "../03_strategies/evolution.h"
#include "conversation.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  Population population;
  for (int turn = 0; !trials.over(); ++turn) {
    std::vector<Configuration> slots;
    while (slots.size() < kSlots)
      slots.push_back(turn < 2 ? any(trials, random) : population.child(trials, random));
    for (const Configuration& c : slots)
      if (!trials.over() && trials.may_try(c)) population.add(trials.time(c), c);
  }
}

}  // namespace

WB_CPU(Proposers, step1_evolutionary, searches<search>);
