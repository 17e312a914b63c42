// What one writes first: when a rank has its gradient, it sends it to rank 0, which adds them all
// up and sends the sum to all ranks.
//
// Predict: what do the other ranks do while rank 0 adds? How do its work and its traffic grow with
// the number of ranks?
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"

namespace {

struct Step : Network {
  using Network::Network;
  std::vector<float> received = std::vector<float>(rank == 0 ? p.weights() : 0);

  void operator()() {
    forward();
    backward();
    sum();
    update(gradient, 0, p.layers);
  }
  void sum() {
    const wb::Span span(wb::Work::copy, "sum");
    const int count = static_cast<int>(p.weights());
    if (rank > 0) MPI_Send(gradient, count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    for (int other = 1; rank == 0 && other < p.ranks; ++other) {
      MPI_Recv(received.data(), count, MPI_FLOAT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (wb::i64 i = 0; i < count; ++i) gradient[i] += received[i];
    }
    MPI_Bcast(gradient, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
  }
};

}  // namespace
#endif

WB_CPU(OneMachine, baseline, in_ranks<Step>("baseline"));
WB_EXERCISE(FourRounds<OneMachine>);
