// The yardstick: MPI's own all-reduce, after the whole backward pass.
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"

namespace {

struct Step : Network {
  using Network::Network;

  void operator()() {
    forward();
    backward();
    sum();
    update(gradient, 0, p.layers);
  }
  void sum() {
    const wb::Span span(wb::Work::copy, "all-reduce");
    MPI_Allreduce(MPI_IN_PLACE, gradient, static_cast<int>(p.weights()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }
};

}  // namespace
#endif

WB_CPU(OneMachine, library, in_ranks<Step>("library"));
