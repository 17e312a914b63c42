// The batch is too large for a rank's memory, so it comes in four parts, and their gradients are
// added up before the weights move once (gradient accumulation). As shipped, the ranks add up the
// gradient of each part, so the same bytes cross four times.
//
// TODO: a sum of sums may be taken in any order. How often must the ranks exchange anything?
// Goal: at most 2.7 times as long as step1_ring at ranks=2,layers=4,width=1024,batch=4,bucket=1
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"
#include "ring.h"

namespace {

struct Step : Network {
  using Network::Network;
  Ring ring;
  std::vector<float> total = std::vector<float>(p.weights());

  void operator()() {
    for (wb::i64 round = 0; round < p.rounds; ++round) {
      forward(round);
      backward();
      ring.sum(gradient, p.weights());
      for (wb::i64 i = 0; i < p.weights(); ++i) total[i] = gradient[i] + (round > 0 ? total[i] : 0);
    }
    update(total.data(), 0, p.layers);
  }
};

}  // namespace
#endif

WB_CPU(FourRounds<OneMachine>, exercise, in_ranks<Step>("exercise"));
