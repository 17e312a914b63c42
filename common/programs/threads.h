// How the threads of OpenMP and OpenBLAS wait, for every program that measures.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace wb {

// Both go on spinning for some 30 milliseconds after each call, and take the cores from a variant
// that is measured next and brings threads of its own: rows beside OpenBLAS took twice their time
// at random. Sleeping at once is no better: a thread is then often woken on a core that is in use.
// So they spin for some microseconds. The libraries read this when they are loaded, so the program
// starts itself again. Call it first in main.
//
// OpenMP crashes where it is to start thousands of threads, so there are at most 16 for each core.
inline void let_threads_spin_briefly(char** argv) {
  if (std::getenv("WB_STARTED")) return;
  const char* threads = std::getenv("OMP_NUM_THREADS");
  const long most = 16 * ::sysconf(_SC_NPROCESSORS_ONLN);
  if (threads && std::strtol(threads, nullptr, 10) > most) {
    std::fprintf(stderr, "OMP_NUM_THREADS=%s: %ld threads are used\n", threads, most);
    setenv("OMP_NUM_THREADS", std::to_string(most).c_str(), 1);
  }
  setenv("WB_STARTED", "1", 1);
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
  setenv("OPENBLAS_THREAD_TIMEOUT", "16", /*overwrite=*/0);  // 2^16 cycles
  execv("/proc/self/exe", argv);                             // on failure: as it was
}

}  // namespace wb
