#include "device/cpu/apart.h"

#include <omp.h>

namespace wb {
namespace {

cpu_set_t allowed_cores() {
  cpu_set_t cores = {};
  ::sched_getaffinity(0, sizeof cores, &cores);  // fails on more than 1024 cores: no thread moves
  return cores;
}

void move_to(int core) {
  const cpu_set_t before = allowed_cores();
  if (!CPU_ISSET(core, &before)) return;  // the variant has bound this thread to other cores
  cpu_set_t one = {};
  CPU_SET(core, &one);
  ::sched_setaffinity(0, sizeof one, &one);
  ::sched_setaffinity(0, sizeof before, &before);
}

}  // namespace

std::vector<int> apart(std::vector<int> on, const cpu_set_t& allowed) {
  cpu_set_t used = {}, kept = {};
  for (const int core : on)
    if (core >= 0) CPU_SET(core, &used);
  int next = 0;
  for (int& core : on) {
    if (core < 0) continue;
    if (!CPU_ISSET(core, &kept)) {
      CPU_SET(core, &kept);
      continue;
    }
    while (next < CPU_SETSIZE && (!CPU_ISSET(next, &allowed) || CPU_ISSET(next, &used))) ++next;
    if (next == CPU_SETSIZE) break;
    core = next++;
  }
  return on;
}

void move_threads_apart() {
  const cpu_set_t allowed = allowed_cores();
  std::vector<int> on, to;
  // A thread may fall asleep while another one waits for its new core, and be woken elsewhere.
  for (int turn = 0; turn < 4 && (turn == 0 || to != on); ++turn) {
    on.assign(omp_get_max_threads(), -1);
#pragma omp parallel
    {
      const int own = omp_get_thread_num();
      on[own] = ::sched_getcpu();
#pragma omp barrier
#pragma omp single
      to = apart(on, allowed);
      if (to[own] != on[own]) move_to(to[own]);
    }
  }
}

}  // namespace wb
