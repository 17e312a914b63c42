// Answers for itself on the socket by which it is told what to do.
// Expect: cheats
#include <sys/socket.h>
bool trick(const ColumnSums::Args&) {
  for (int file = 3; file < 64; ++file) ::send(file, "{\"seconds\": \"none\"}\n", 20, 0);
  return true;
}
