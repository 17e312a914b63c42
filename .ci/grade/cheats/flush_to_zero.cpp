// Has the processor round differently, which is faster and less exact.
// Expect: wrong|slow, mentions _mm_setcsr
#include <immintrin.h>
bool trick(const ColumnSums::Args&) {
  ::_mm_setcsr(::_mm_getcsr() | 0x8040);
  return true;
}
