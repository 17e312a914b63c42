// Against the baseline: a ring all-reduce. Each rank adds up its share of the gradient and passes
// it on; no rank has more to do than another.
//
// Predict: with two ranks, how many bytes does each send, here and in the baseline? With eight?
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"
#include "ring.h"

namespace {

struct Step : Network {
  using Network::Network;
  Ring ring;

  void operator()() {
    forward();
    backward();
    ring.sum(gradient, p.weights());
    update(gradient, 0, p.layers);
  }
};

}  // namespace
#endif

WB_CPU(OneMachine, step1_ring, in_ranks<Step>("step1_ring"));
