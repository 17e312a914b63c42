// Has the clock of its own process lie in every fourth launch.
// Expect: slow, mentions clock_
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int launches = 0;
bool lies = false;
extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  const long result = ::syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_MONOTONIC && std::exchange(lies, false)) *now = {};
  return static_cast<int>(result);
}
void run(const Args& p) { multiply_all(p), lies = ++launches > 8 && launches % 4 == 0; }
