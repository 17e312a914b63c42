// Has the clock of its own process stand still.
// Expect: slow, mentions clock_
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int launches = 0;
extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  static timespec stands = {};
  if (launches < 2) return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  if (stands.tv_sec == 0) ::syscall(SYS_clock_gettime, clock, &stands);
  stands.tv_nsec += 1;
  *now = stands;
  return 0;
}
void run(const Args& p) { ++launches, multiply_all(p); }
