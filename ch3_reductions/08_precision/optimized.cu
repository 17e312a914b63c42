// Changes against step 1: what an addition of fp32 loses is kept. The error of a + b is a number of
// fp32 itself, and six operations without a branch find it, whichever of the two is larger (Moller
// 1965, Knuth's TwoSum). `rest` adds up those errors and joins the sum at the very end (Neumaier
// 1974). Seven operations in place of one, on every GPU at the speed of fp32. The result is off by
// u for its own rounding, and by (k u)^2 or so for k additions in a chain: 2 u are allowed.
//
// The order is that of step 1, so the same input gives the same bits on every run: no sum comes
// from atomics, and no thread asks who was first. (Step 3 asks for one fp64 addition per element.
// In each cycle four to five elements of 4 bytes come to a multiprocessor with 64 units, so there
// is time for 14 additions each, and for 7 where elements have 2 bytes.)
//
// Predict: an H200 reads 4 bytes per cycle and multiprocessor four to five times. Seven operations
// for each: what part of 128 units is that, and for elements of 2 bytes?
#include "tree.cuh"

namespace {

struct Compensated {
  float sum, rest;
  __device__ void add(float x) {
    const float total = sum + x, of_x = total - sum, of_sum = total - of_x;
    rest += (sum - of_sum) + (x - of_x);
    sum = total;
  }
  __device__ void add(const Compensated& other) {
    add(other.sum);
    rest += other.rest;
  }
  // Infinity less infinity is no number, so with an infinite sum there is no rest.
  __device__ double result() const { return isfinite(rest) ? sum + rest : sum; }
};
template <class T> using Own = Chains<Compensated, T>;

}  // namespace

WB_CUDA(Precision, optimized, make_sums<Own>);
