// Right for KIND 0, at a speed that PASSES decides; wrong in one way for each other KIND.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#if KIND > 10
#include "tricks.h"
#endif

#if KIND == 7
#error this one does not compile
#endif

extern "C" void twice(long n, const float* x, float* y) {
#if KIND > 10
  return trick<KIND>(n, x, y);
#endif
  for (int pass = 0; pass < PASSES; ++pass)
    for (long i = 0; i < n; ++i) {
      y[i] = 2 * x[i];
      asm volatile("" ::: "memory");
    }
  if (KIND == 1)
    for (;;) pause();
  if (KIND == 2 || (PASSES == 4 && getenv("WB_TEST_DEFAULT_FAILS"))) abort();
  if (KIND == 3 && n > 0) y[n] = 1;
  for (long i = 0; i < n; ++i) {
    if (KIND == 4) y[i] = 0;
    if (KIND == 5) y[i] = NAN;
    if (KIND == 8 && n == 31) y[i] = 1;  // at an odd size alone
  }
  if (KIND == 6)
    if (FILE* file = fopen(getenv("WB_TEST_JOURNAL"), "a")) {
      fputs("{\"configuration\":\"KIND=6 PASSES=1\",\"status\":\"ok\",\"seconds\":1e-9}\n", file);
      fclose(file);
    }
}
