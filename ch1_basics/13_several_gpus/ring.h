// The sum over all ranks in each of them, by messages to the next rank in a ring alone. Each rank
// sends 2 (n - 1) / n times its bytes, however many ranks there are, and all links work at once.
#pragma once

#include <mpi.h>

#include <vector>

#include "wb/cpu.h"

namespace {

class Ring {
 public:
  Ring() {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  void sum(float* data, wb::i64 count) {
    const wb::Span span(wb::Work::copy, "ring");
    received_.resize(count / ranks_ + 1);
    const auto begin = [&](int piece) { return count * piece / ranks_; };
    const auto send_on = [&](int send, int receive, float* to) {
      const int next = (rank_ + 1) % ranks_, previous = (rank_ + ranks_ - 1) % ranks_;
      const auto size = [&](int piece) {
        return static_cast<int>(begin(piece + 1) - begin(piece));
      };
      MPI_Sendrecv(data + begin(send), size(send), MPI_FLOAT, next, 0, to, size(receive), MPI_FLOAT,
                   previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    // Reduce-scatter: a piece goes round, and each rank adds its own part. Then rank r has the sum
    // of piece r + 1.
    for (int step = 0; step < ranks_ - 1; ++step) {
      const int send = (rank_ - step + ranks_) % ranks_, receive = (send - 1 + ranks_) % ranks_;
      send_on(send, receive, received_.data());
      for (wb::i64 i = begin(receive); i < begin(receive + 1); ++i)
        data[i] += received_[i - begin(receive)];
    }
    // All-gather: the sums go round.
    for (int step = 0; step < ranks_ - 1; ++step) {
      const int send = (rank_ + 1 - step + ranks_) % ranks_, receive = (send - 1 + ranks_) % ranks_;
      send_on(send, receive, data + begin(receive));
    }
  }

 private:
  int ranks_, rank_;
  std::vector<float> received_;
};

}  // namespace
