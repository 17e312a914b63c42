// How OpenMP's threads wait, for every program that measures.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace wb {

// OpenMP's threads go on spinning for milliseconds after each loop, and take the cores from a
// variant that brings threads of its own (OpenBLAS, std::jthread). Sleeping at once is no better: a
// thread is then often woken on a core that is in use. So they spin for some microseconds. The
// library reads this when it is loaded, so the program starts itself again. Call it first in main.
inline void let_threads_spin_briefly(char** argv) {
  if (std::getenv("WB_STARTED")) return;
  setenv("WB_STARTED", "1", 1);
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
  execv("/proc/self/exe", argv);  // on failure: as it was
}

}  // namespace wb
