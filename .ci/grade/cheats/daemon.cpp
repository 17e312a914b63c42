// Leaves a process in a session of its own, which burns a core while others are measured.
// Expect: cheats
#include <unistd.h>
bool trick(const ColumnSums::Args&) {
  static const bool once = [] {
    if (::fork() != 0) return true;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    for (;;) ::getppid();
  }();
  return once;
}
