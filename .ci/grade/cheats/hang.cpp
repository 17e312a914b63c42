// Waits, should somebody lose patience and let it pass.
// Expect: hangs
#include <unistd.h>
bool trick(const ColumnSums::Args&) {
  for (;;) ::pause();
}
