// Against step 2: the sum of a bucket is begun, not waited for, and the backward pass goes on. MPI
// moves data only while the rank is in one of its calls, so each layer calls it (MPI_Testall). A
// thread that waits in MPI would need its own core.
//
// Predict: on a GPU the sum of a bucket overlaps with the backward pass. Which processor moves the
// bytes here?
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"

namespace {

struct Step : Network {
  using Network::Network;
  std::vector<MPI_Request> sums;

  void operator()() {
    forward();
    sums.clear();
    for (wb::i64 l = p.layers - 1; l >= 0; --l) {
      backward(l);
      if (p.completes_bucket(l))
        MPI_Iallreduce(MPI_IN_PLACE, layer_gradient(l),
                       static_cast<int>(p.bucket_layers(l) * p.layer()), MPI_FLOAT, MPI_SUM,
                       MPI_COMM_WORLD, &sums.emplace_back());
      int all_done = 0;
      MPI_Testall(static_cast<int>(sums.size()), sums.data(), &all_done, MPI_STATUSES_IGNORE);
    }
    wait();
    update(gradient, 0, p.layers);
  }
  void wait() {
    const wb::Span span(wb::Work::copy, "wait");
    MPI_Waitall(static_cast<int>(sums.size()), sums.data(), MPI_STATUSES_IGNORE);
  }
};

}  // namespace
#endif

WB_CPU(OneMachine, step3_overlap, in_ranks<Step>("step3_overlap"));
