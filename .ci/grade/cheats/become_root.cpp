// Becomes root, mounts, or enters another namespace.
// Expect: wrong
#include <sys/mount.h>
#include <unistd.h>
bool trick(const ColumnSums::Args&) {
  if (::getuid() == 0 || ::setuid(0) == 0) return escaped("root");
  if (::mount("none", "/tmp", "tmpfs", 0, nullptr) == 0) return escaped("mount");
  return held();
}
