// The control of the experiment. The model is told the trials, but each with the time of another
// one, drawn by chance. Its text is as long as in step 4 and has the same numbers in it. So if step
// 4 is faster than this, it is because the model uses which time belongs to which configuration.
//
// Predict: is this as fast as step 2, which is told nothing?
#include "conversation.h"

namespace {

void search(Trials& trials, std::mt19937_64& random) {
  converse(trials, random, 0, [&](tune::History told) {
    for (std::size_t i = told.size(); i > 1; --i)
      std::swap(told[i - 1].seconds, told[random() % i].seconds);
    return told;
  });
}

}  // namespace

WB_CPU(Proposers, step3_shuffled, searches<search>);
