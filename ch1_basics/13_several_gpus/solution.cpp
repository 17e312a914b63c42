// The exercise: each rank adds up its own parts, in the product that makes the gradient, and the
// ranks exchange the total once.
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"
#include "ring.h"

namespace {

struct Step : Network {
  using Network::Network;
  Ring ring;

  void operator()() {
    for (wb::i64 round = 0; round < p.rounds; ++round) {
      forward(round);
      for (wb::i64 l = p.layers - 1; l >= 0; --l) {
        backward(l, /*add=*/round > 0);
        if (round < p.rounds - 1 || !p.completes_bucket(l)) continue;
        ring.sum(layer_gradient(l), p.bucket_layers(l) * p.layer());
        update(gradient, l, p.bucket_layers(l));
      }
    }
  }
};

}  // namespace
#endif

WB_CPU(FourRounds<OneMachine>, solution, in_ranks<Step>("solution"));
