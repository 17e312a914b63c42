// Changes against step 1: the error of each fp32 addition is kept. The error of a + b is itself a
// number of fp32, and six operations without a branch find it, also if b is larger than a (Moller
// 1965, Knuth's TwoSum). `rest` adds up those errors and joins the sum at the very end (Neumaier
// 1974). That is seven operations instead of one, on every GPU at the speed of fp32. The result is
// off by u for its own rounding, and by some (k u)^2 for k additions in a chain: 2 u are allowed.
//
// The order is that of step 1, so the same input gives the same bits on every run: no sum comes
// from atomics, and none depends on which thread was first. (Step 3 has one fp64 addition per
// element. In each cycle four to five elements of 4 bytes arrive at a multiprocessor with 64 units,
// so there is time for 14 additions each, and for 7 where elements have 2 bytes.)
//
// Predict: four to five elements of 4 bytes arrive at a multiprocessor of an H200 in each cycle.
// Seven operations for each: what part of 128 units is that, and for elements of 2 bytes?
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
