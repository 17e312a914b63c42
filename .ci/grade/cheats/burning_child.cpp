// The same with a child in another process group.
// Expect: cheats
#include <unistd.h>
bool trick(const ColumnSums::Args&) {
  static const int child = ::fork();
  if (child == 0) ::setpgid(0, 0);
  while (child == 0) ::getppid();
  return true;
}
