// MPI's all-reduce alone, in a plain program without the harness. Start it as real jobs are
// started:
//
//   mpirun -n 2 build/cpu/bin/by_hand_several_gpus        (srun -n 2 ... on a cluster)
//
// It prints the bus bandwidth: 2 (n - 1) / n times the bytes, which is what each rank has to send,
// over the time. That is comparable with what a link can do, whatever n is.
#ifdef WB_WITH_MPI
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) std::printf("all-reduce of %d processes\n", ranks);
  bool wrong = false;
  for (int count = 64 << 10; count <= 16 << 20; count *= 4) {
    const std::vector<float> data(count, static_cast<float>(rank + 1));
    std::vector<float> sum(count);
    std::vector<double> seconds;
    for (int repetition = 0; repetition < 7; ++repetition) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      MPI_Allreduce(data.data(), sum.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      seconds.push_back(MPI_Wtime() - start);
    }
    const auto want = static_cast<float>(ranks * (ranks + 1) / 2);
    wrong = wrong || std::any_of(sum.begin(), sum.end(), [&](float s) { return s != want; });
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2], bytes = 4.0 * count;
    if (rank == 0)
      std::printf("%6.2f MiB  %8.1f us  bus bandwidth %5.2f GB/s\n", bytes / (1 << 20),
                  median * 1e6, 2.0 * (ranks - 1) / ranks * bytes / median * 1e-9);
  }
  MPI_Finalize();
  if (wrong) std::fprintf(stderr, "rank %d: a sum is wrong\n", rank);
  return wrong;
}

#else
#include <cstdio>

int main() {
  std::fprintf(stderr, "built without MPI\n");
  return 3;
}
#endif
