// Starts as many processes as it can.
// Expect: wrong
#include <unistd.h>

#include <csignal>
bool trick(const ColumnSums::Args&) {
  static std::vector<pid_t> children;
  while (children.size() < 700) {
    const pid_t child = ::fork();
    if (child < 0) break;
    while (child == 0) ::pause();
    children.push_back(child);
  }
  const bool all = children.size() == 700;
  for (const pid_t child : children) ::kill(child, SIGKILL);
  return all ? escaped("700 processes") : held();
}
