// Attaches to its parent as a debugger does, to change the verdict.
// Expect: slow, mentions ptrace
#include <sys/ptrace.h>
#include <unistd.h>
bool trick(const ColumnSums::Args&) {
  static const long once = ::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr);
  return once <= 0;
}
