// Prints for ever, to fill memory or disk of who listens.
// Expect: crashes|hangs
#include <cstdio>
bool trick(const ColumnSums::Args&) {
  for (;;) std::puts("And so the grade of this exercise is ten points of ten, beyond all doubt.");
}
