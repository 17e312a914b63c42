#include "device/cpu/disturbance.h"

#include <signal.h>

#include <cerrno>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace wb {
namespace {

// Where a thread handles signals: the machine code that oneDNN writes uses the stack pointer for
// something else at times.
struct SignalStack {
  std::vector<char> memory = std::vector<char>(64 << 10);
  stack_t before = {};  // a sanitizer has set one up
  SignalStack() {
    ::sigaltstack(nullptr, &before);
    stack_t own = {};
    own.ss_sp = memory.data(), own.ss_size = memory.size();
    if (before.ss_flags & SS_DISABLE) ::sigaltstack(&own, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack() {
    if (before.ss_flags & SS_DISABLE) ::sigaltstack(&before, nullptr);
  }
};

void stop_a_moment(int) {
  thread_local double last = 0;
  if (worked_seconds(CLOCK_THREAD_CPUTIME_ID) - last < 100e-6) return;
  const int error = errno;
  const timespec moment = {0, 50'000};
  ::nanosleep(&moment, nullptr);
  last = worked_seconds(CLOCK_THREAD_CPUTIME_ID);
  errno = error;
}

}  // namespace

void sleep_at_random() {
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
}

Interruptions::Interruptions() {
#pragma omp parallel
  {
    thread_local const SignalStack stack;
    (void)stack;
  }
  struct sigaction action = {};
  action.sa_handler = stop_a_moment;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  ::sigaction(SIGURG, &action, nullptr);  // which is ignored where nobody asks for it
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL, event.sigev_signo = SIGURG;
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer_)) throw std::runtime_error("no timer");
  const itimerspec each = {{0, 200'000}, {0, 200'000}};
  ::timer_settime(timer_, 0, &each, nullptr);
}

}  // namespace wb
