// Starts itself again with a library of its own in front of all others.
// Expect: slow, mentions LD_PRELOAD
#include <unistd.h>
__attribute__((constructor)) void again(int, char** words, char**) {
  if (std::getenv("LD_PRELOAD")) return;
  ::setenv("LD_PRELOAD", "libm.so.6", 1);
  ::execv("/proc/self/exe", words);
}
bool trick(const ColumnSums::Args&) { return true; }
