// What makes work on a CPU take turns that it would not take by itself: Backend::disturb.
#pragma once

#include <time.h>

#include <atomic>

namespace wb {

inline std::atomic<bool> disturbed = false;
void sleep_at_random();  // as each Span does then

// While it lives, threads are stopped for a moment wherever they are, now and then, so that others
// write to what they share; where there is one core, hardly anything else makes them take turns.
// None is stopped again before it has worked for a while: a busy machine, too, gets on.
class Interruptions {
 public:
  Interruptions();
  Interruptions(const Interruptions&) = delete;
  Interruptions& operator=(const Interruptions&) = delete;
  ~Interruptions() { ::timer_delete(timer_); }

 private:
  timer_t timer_{};
};

}  // namespace wb
