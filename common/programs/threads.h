// How the threads of OpenMP and OpenBLAS wait, for every program that measures.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace wb {

// Both go on spinning for some 30 milliseconds after each call, and take the cores from a variant
// that is measured next and brings threads of its own: rows beside OpenBLAS took twice their time
// at random. Sleeping at once is no better: a thread is then often woken on a core that is in use.
// So they spin for some microseconds. The libraries read this when they are loaded, so the program
// starts itself again. Call it first in main.
inline void let_threads_spin_briefly(char** argv) {
  if (std::getenv("WB_STARTED")) return;
  setenv("WB_STARTED", "1", 1);
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
  setenv("OPENBLAS_THREAD_TIMEOUT", "16", /*overwrite=*/0);  // 2^16 cycles
  execv("/proc/self/exe", argv);                             // on failure: as it was
}

}  // namespace wb
