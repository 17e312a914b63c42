// With feedback and refusals: the model is also told which of its proposals were refused, and why.
// "More shared memory than a block may have" rules out one configuration, and for a reader who
// knows what takes shared memory, many more.
//
// Predict: more than half of the proposals are still refused. What could fill their slots better
// than chance?
#include "conversation.h"

namespace {

constexpr std::size_t kRefusals = 12;  // the latest

void search(Trials& trials, std::mt19937_64& random) {
  converse(trials, random, kRefusals, [](const tune::History& history) { return history; });
}

}  // namespace

WB_CPU(Proposers, optimized, searches<search>);
