// The all-reduce alone, in a plain program without the harness, as real jobs run it: one process
// per GPU. A launcher (mpirun, srun) starts these on many machines; here the program starts them
// itself. It prints the bus bandwidth: 2 (n - 1) / n times the bytes, which is what each GPU has to
// send, over the time. That is comparable with what a link can do, whatever n is.
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef WB_WITH_NCCL
#include <nccl.h>

namespace {

template <class Status> void check(Status status, const char* call) {  // of CUDA and of NCCL
  if (static_cast<int>(status) == 0) return;
  std::fprintf(stderr, "%s failed: error %d\n", call, static_cast<int>(status));
  std::_Exit(1);
}
#define CHECK(CALL) check((CALL), #CALL)

struct Shared {  // by all processes
  ncclUniqueId id;
  std::atomic<bool> ready;
};

__global__ void fill(float* data, size_t count, float value) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x)
    data[i] = value;
}

void run_rank(int rank, int ranks, Shared& shared) {
  CHECK(cudaSetDevice(rank));
  if (rank == 0) {  // all other ranks need this id: with MPI, by MPI_Bcast
    CHECK(ncclGetUniqueId(&shared.id));
    shared.ready = true;
  }
  while (!shared.ready) usleep(1000);
  ncclComm_t world;
  CHECK(ncclCommInitRank(&world, ranks, shared.id, rank));
  const size_t most = size_t{256} << 20;  // floats: 1 GiB
  float *data, *sum;
  CHECK(cudaMalloc(&data, most * sizeof(float)));
  CHECK(cudaMalloc(&sum, most * sizeof(float)));
  fill<<<1024, 256>>>(data, most, static_cast<float>(rank + 1));
  CHECK(cudaDeviceSynchronize());
  for (size_t count = size_t{256} << 10; count <= most; count *= 2) {
    std::vector<double> seconds;
    for (int repetition = 0; repetition < 7; ++repetition) {
      constexpr int kCalls = 10;
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i)
        CHECK(ncclAllReduce(data, sum, count, ncclFloat, ncclSum, world, nullptr));
      CHECK(cudaDeviceSynchronize());
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      seconds.push_back(passed.count() / kCalls);
    }
    float last = 0;
    CHECK(cudaMemcpy(&last, sum + count - 1, sizeof last, cudaMemcpyDeviceToHost));
    check(last != static_cast<float>(ranks * (ranks + 1) / 2), "the sum");
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2], bytes = 4.0 * static_cast<double>(count);
    if (rank == 0)
      std::printf("%5.0f MiB  %8.1f us  bus bandwidth %5.1f GB/s\n", bytes / (1 << 20),
                  median * 1e6, 2.0 * (ranks - 1) / ranks * bytes / median * 1e-9);
  }
  CHECK(ncclCommDestroy(world));
}

// In a separate process: one that has used CUDA must not fork.
int count_gpus() {
  const pid_t child = fork();
  int count = 0;
  if (child == 0) _exit(cudaGetDeviceCount(&count) == cudaSuccess ? count : 0);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

}  // namespace

int main() {
  const int ranks = count_gpus();
  if (ranks < 2) {
    std::fprintf(stderr, "needs 2 GPUs, and this machine has %d\n", ranks);
    return 3;
  }
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(memory == MAP_FAILED, "mmap");
  auto* const shared = new (memory) Shared{};
  std::printf("all-reduce of %d GPUs, a process each\n", ranks);
  std::fflush(stdout);
  std::vector<pid_t> processes(ranks);
  for (int rank = 0; rank < ranks; ++rank)
    if ((processes[rank] = fork()) == 0) {
      run_rank(rank, ranks, *shared);
      std::fflush(stdout);
      _exit(0);
    }
  bool fine = true;
  int status = 0;
  for (pid_t ended; (ended = wait(&status)) > 0;) {
    std::erase(processes, ended);
    if (status != 0 && fine)  // the others would wait for it
      for (const pid_t process : processes) kill(process, SIGKILL);
    fine = fine && status == 0;
  }
  return fine ? 0 : 1;
}

#else
int main() {
  std::fprintf(stderr, "built without NCCL\n");
  return 3;
}
#endif
