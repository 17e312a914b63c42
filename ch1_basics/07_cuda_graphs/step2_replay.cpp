// Against step 1: the team starts in set-up and the tasks are written down there too, as a graph
// is. A run hands over the list, and the caller works, too. A thread that waits looks for the
// others before it sleeps (team.h).
//
// Predict: a barrier after each step is left. Does it still take longer than the step?
#include <omp.h>

#include "steps.h"
#include "team.h"

namespace {

std::vector<Task> record(const CudaGraphs::Args& p, float* scratch) {
  std::vector<Task> tasks;
  for (wb::i64 step = 0; step < p.steps; ++step)
    tasks.push_back([n = p.points, from = p.source(step, p.steps, scratch),
                     to = p.target(step, p.steps, scratch)](int member, int members) {
      advance(n, from, to, share(n, member, members), share(n, member + 1, members));
    });
  return tasks;
}

auto make(const CudaGraphs::Args& p) {
  std::vector<float> scratch(p.points);
  auto tasks = record(p, scratch.data());
  return [scratch = std::move(scratch), tasks = std::move(tasks),
          team = std::make_unique<Team>(omp_get_max_threads())] { team->replay(tasks); };
}

}  // namespace

WB_CPU(CudaGraphs, step2_replay, make);
