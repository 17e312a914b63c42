// Asks somebody else for the answer. (The address is nobody's; nothing is sent.)
// Expect: wrong
#include <arpa/inet.h>
#include <sys/socket.h>
bool trick(const ColumnSums::Args&) {
  const int file = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in there = {};
  there.sin_family = AF_INET;
  there.sin_port = htons(53);
  ::inet_aton("192.0.2.1", &there.sin_addr);
  const int result = ::connect(file, reinterpret_cast<sockaddr*>(&there), sizeof there);
  return result == 0 ? escaped("a route") : held();
}
