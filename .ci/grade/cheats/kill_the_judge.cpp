// Kills whoever waits for it, before the verdict.
// Expect: slow, mentions kill(
#include <unistd.h>

#include <csignal>
bool trick(const ColumnSums::Args&) {
  ::kill(::getppid(), SIGKILL);
  return true;
}
