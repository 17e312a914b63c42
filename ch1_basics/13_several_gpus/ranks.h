// Ranks as processes of this machine. mpirun starts this very program once per rank, and there
// in_ranks() keeps it, ahead of main(). A rank sleeps until the program that had it started asks
// for a step; they share a piece of memory, in which the batches and the results are.
#pragma once

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "several_gpus.h"
#include "wb/cpu.h"

#ifdef WB_WITH_MPI
#include <mpi.h>
#endif

namespace {

struct Step;  // of a variant: made from (Args, rank) in each rank, and called for each step

#ifdef WB_WITH_MPI

struct Shared {
  SeveralGpus::Args sizes;
  pid_t group;  // of processes; the ranks join it, else an exercise would be said to leave them
  bool over;
  sem_t go[64], done;
  bool traced;
  struct Spans {
    std::size_t count;
    wb::RankSpan all[256];
  } spans[64];

  SeveralGpus::Args args() {  // its arrays follow it, at other addresses in each process
    SeveralGpus::Args p = sizes;
    auto* next = reinterpret_cast<float*>(this + 1);
    const wb::i64 batches = p.ranks * p.samples() * p.width;
    p.x = next, p.target = p.x + batches, p.probe = p.target + batches;
    p.fingerprints = next + 2 * batches + p.width;
    return p;
  }
  static wb::i64 bytes(const SeveralGpus::Args& p) {
    const wb::i64 floats = 2 * p.ranks * p.samples() + 1 + p.ranks * p.layers;
    return static_cast<wb::i64>(sizeof(Shared)) + 4 * p.width * floats;
  }
  static Shared* map(int file) {
    struct stat about = {};
    ::fstat(file, &about);
    void* data = ::mmap(nullptr, about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) throw std::runtime_error("no memory that processes can share");
    return static_cast<Shared*>(data);
  }
};

// What a rank does instead of main().
template <class Step> [[noreturn]] void work(const char* memory) {
  Shared* const shared = Shared::map(::open(memory, O_RDWR));
  if (shared->group) ::setpgid(0, shared->group);
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Step step(shared->args(), rank);
    for (;;) {
      ::sem_post(&shared->done);
      while (::sem_wait(&shared->go[rank]) != 0) continue;
      if (shared->over) break;
      wb::keep_spans(shared->traced);
      step();
      Shared::Spans& spans = shared->spans[rank];
      spans.count = wb::take_spans(spans.all, std::size(spans.all));
    }
  }
  MPI_Finalize();
  ::_exit(0);
}

// The ranks of a variant on a case, seen from the program that starts them.
class Ranks {
 public:
  Ranks(const char* variant, const SeveralGpus::Args& p) : p_(p) {
    if (p.ranks > 64) throw wb::Unsupported("at most 64 ranks");
    file_ = ::memfd_create("ranks", MFD_CLOEXEC);
    if (::ftruncate(file_, Shared::bytes(p)) != 0) throw std::runtime_error("no shared memory");
    shared_ = Shared::map(file_);
    shared_->sizes = p;
    if (is_exercise()) shared_->group = ::getpgrp();
    for (sem_t& go : shared_->go) ::sem_init(&go, 1, 0);
    ::sem_init(&shared_->done, 1, 0);
    start(variant);
    wait();  // until all are set up
  }
  Ranks(const Ranks&) = delete;
  ~Ranks() {
    shared_->over = true;
    for (sem_t& go : shared_->go) ::sem_post(&go);
    while (mpirun_ && ::waitpid(mpirun_, nullptr, 0) < 0 && errno == EINTR) continue;
    ::munmap(shared_, Shared::bytes(p_));
    ::close(file_);
  }

  void step() {
    const SeveralGpus::Args theirs = shared_->args();
    const std::size_t batches = p_.ranks * p_.samples() * p_.width;
    std::copy_n(p_.x, batches, const_cast<float*>(theirs.x));
    std::copy_n(p_.target, batches, const_cast<float*>(theirs.target));
    std::copy_n(p_.probe, p_.width, const_cast<float*>(theirs.probe));
    shared_->traced = wb::tracing();
    for (int r = 0; r < p_.ranks; ++r) ::sem_post(&shared_->go[r]);
    wait();
    for (int r = 0; r < p_.ranks && shared_->traced; ++r)
      wb::add_spans(r, shared_->spans[r].all, shared_->spans[r].count);
    std::copy_n(theirs.fingerprints, p_.ranks * p_.layers * p_.width, p_.fingerprints);
  }

 private:
  void wait() {
    for (int r = 0; r < p_.ranks;) {
      timespec until;
      ::clock_gettime(CLOCK_REALTIME, &until);
      ++until.tv_sec;
      if (::sem_timedwait(&shared_->done, &until) == 0) {
        ++r;
      } else if (errno == ETIMEDOUT && ::waitpid(mpirun_, nullptr, WNOHANG) != 0) {
        mpirun_ = 0;
        throw std::runtime_error("mpirun ended early: it is missing, or a rank crashed; see above");
      }
    }
  }

  static bool is_exercise() {  // in the process in which it is judged from outside
    std::ifstream file("/proc/self/cmdline");
    return std::string(std::istreambuf_iterator<char>(file), {}).find("--serve") !=
           std::string::npos;
  }

  void start(const char* variant) {
    const std::string count = std::to_string(p_.ranks), own = "/proc/" + std::to_string(::getpid());
    const std::string program = own + "/exe", memory = own + "/fd/" + std::to_string(file_);
    mpirun_ = ::fork();
    if (mpirun_ < 0) throw std::runtime_error("no further process can be started");
    if (mpirun_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // mpirun then ends its ranks
    ::dup2(::open("/dev/null", O_RDWR), 0);
    ::dup2(2, 1);
    // mpirun asks for this machine's name: a name server that is silent costs a second, not five.
    ::setenv("RES_OPTIONS", "timeout:1 attempts:1", 0);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    ::setenv("WB_RANK_OF", variant, 1);
    ::setenv("WB_RANK_MEMORY", memory.c_str(), 1);
    ::execlp("mpirun", "mpirun", "-q", "-n", count.c_str(), "--oversubscribe", "--bind-to",
             "core:overload-allowed", "--mca", "btl", "self,vader", "--mca", "plm", "isolated",
             program.c_str(), nullptr);
    ::_exit(127);
  }

  const SeveralGpus::Args p_;
  int file_;
  Shared* shared_;
  pid_t mpirun_ = 0;
};

// What WB_CPU wants: set-up, in which the ranks make a `Step`, and what has them call it.
template <class Step> auto in_ranks(const char* variant) {
  const char* asked = std::getenv("WB_RANK_OF");
  if (asked && std::string(asked) == variant) work<Step>(std::getenv("WB_RANK_MEMORY"));
  return [variant](const SeveralGpus::Args& p) {
    return [ranks = std::make_shared<Ranks>(variant, p)] { ranks->step(); };
  };
}

#else
template <class Step> auto in_ranks(const char*) {
  return [](const SeveralGpus::Args&) -> std::function<void()> {
    throw wb::Unsupported(
        "built without MPI: apt-get install libopenmpi-dev openmpi-bin, then configure again");
  };
}
#endif

}  // namespace
