// Against step 2: no messages. Ranks of one machine can share memory, and MPI gives them a piece of
// it (a shared window). A rank adds up its share of a bucket right where the other ranks have
// written it, and the updates read the sum where it is.
//
// Predict: how often is a byte of the gradient read and written by the ring, and how often now?
#include "ranks.h"

#ifdef WB_WITH_MPI
#include "network.h"

namespace {

struct Step : Network {
  MPI_Win window;
  std::vector<float*> gradients;  // of all ranks
  float* sum;                     // after the last of them

  Step(const Args& args, int rank) : Network(args, rank), gradients(args.ranks) {
    const MPI_Aint bytes = p.weights() * (rank == p.ranks - 1 ? 2 : 1) * sizeof(float);
    MPI_Win_allocate_shared(bytes, sizeof(float), MPI_INFO_NULL, MPI_COMM_WORLD, &gradient,
                            &window);
    for (int r = 0; r < p.ranks; ++r) {
      MPI_Aint size;
      int unit;
      MPI_Win_shared_query(window, r, &size, &unit, &gradients[r]);
    }
    sum = gradients.back() + p.weights();
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  }
  ~Step() {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }

  void operator()() {
    forward();
    for (wb::i64 l = p.layers - 1; l >= 0; --l) {
      backward(l);
      if (!p.completes_bucket(l)) continue;
      meet();
      const wb::i64 first = l * p.layer(), count = p.bucket_layers(l) * p.layer();
      add(first + count * rank / p.ranks, first + count * (rank + 1) / p.ranks);
      meet();
      update(sum, l, p.bucket_layers(l));
    }
  }

  void add(wb::i64 begin, wb::i64 end) const {
    const wb::Span span(wb::Work::copy, "add");
    std::copy(gradient + begin, gradient + end, sum + begin);
    for (const float* other : gradients)
      for (wb::i64 i = begin; other != gradient && i < end; ++i) sum[i] += other[i];
  }
  void meet() const {  // what each has written before, all see after it
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
  }
};

}  // namespace
#endif

WB_CPU(OneMachine, optimized, in_ranks<Step>("optimized"));
