// OpenMP's threads, each on a core of its own.
//
// Linux wakes a thread on the core of the thread that wakes it if all cores are busy. Both then
// share that core, often for many launches, and each launch takes twice as long.
#pragma once

#include <sched.h>

#include <vector>

namespace wb {

// The cores on which threads should run that run `on` these (-1: there is no such thread). Of the
// threads that share a core the first one stays. Each other one gets one of the `allowed` cores on
// which none of them runs, as long as there is one.
std::vector<int> apart(std::vector<int> on, const cpu_set_t& allowed);

// Moves the threads of the caller's OpenMP team that share a core. They are awake when it returns,
// and may still run on all the cores that they were allowed before.
void move_threads_apart();

}  // namespace wb
