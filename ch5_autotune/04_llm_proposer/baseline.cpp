// Random search, as in the lesson before. It learns nothing, so whatever it finds is luck, and yet
// its best configuration so far gets better and better.
//
// Predict: six of 3,048 configurations are good enough. How many trials does it need in the mean?
#include "conversation.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  while (!trials.over()) trials.time(any(trials, random));
}

}  // namespace

WB_CPU(Proposers, baseline, searches<search>);
