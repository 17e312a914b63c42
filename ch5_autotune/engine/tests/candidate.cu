// candidate.cpp for a GPU. KIND 9 has more live values than there are registers.
#if KIND == 7
#error this one does not compile
#endif

extern "C" __global__ void twice(long n, const float* x, float* y) {
  const long i = blockIdx.x * long{BLOCK} + threadIdx.x;
  if (KIND == 1)
    while (true) __nanosleep(1000);
  if (KIND == 2) asm("trap;");
  if (KIND == 3 && i == n - 1) y[n] = 1;
#if KIND == 9
  volatile const float* again = x;
  float kept[400];
#pragma unroll
  for (int j = 0; j < 400; ++j) kept[j] = i < n ? again[i] * j : 0;
#pragma unroll
  for (int j = 0; j < 400; ++j)
    if (kept[j] == 1e30f && i < n) y[i] = kept[399 - j];
#endif
  if (i < n) y[i] = KIND == 4 ? 0 : KIND == 5 ? __int_as_float(0x7fc00000) : 2 * x[i];
}
