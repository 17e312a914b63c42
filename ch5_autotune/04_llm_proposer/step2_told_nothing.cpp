// A model in the loop, which is told the device, the parameters and their values, and nothing about
// the trials. It answers from what it knows already. Of its proposals one in 25 is legal: the
// briefing does not say how much memory and how many registers a configuration takes.
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
