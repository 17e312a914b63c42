// Against step 1: a few layers at a time, in the order in which the backward pass makes their
// gradients. A bucket is summed, and its layers are updated, while it may still be in the cache.
//
// Predict: as many bytes in more messages. What does each message cost, and what can be won?
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
    for (wb::i64 l = p.layers - 1; l >= 0; --l) {
      backward(l);
      if (!p.completes_bucket(l)) continue;
      ring.sum(layer_gradient(l), p.bucket_layers(l) * p.layer());
      update(gradient, l, p.bucket_layers(l));
    }
  }
};

}  // namespace
#endif

WB_CPU(OneMachine, step2_buckets, in_ranks<Step>("step2_buckets"));
