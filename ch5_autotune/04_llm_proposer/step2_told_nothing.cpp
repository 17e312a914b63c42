// A model in the loop, which is told the device, the parameters and their values, and nothing about
// the trials. It answers from what it knows already.
//
// Predict: which is worse, to tell it nothing, or to tell it times that belong to other
// configurations?
#include "conversation.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  converse(trials, random, 0, [](const tune::History&) { return tune::History(); });
}

}  // namespace

WB_CPU(Proposers, step2_told_nothing, searches<search>);
