// Changes against step 1: no chains within a thread's own elements. A thread adds the halves of
// each load to each other, and keeps a sum of 1 step, of 2, of 4 ...: two of a kind become one of
// the next, as in a binary counter. At 64 Mi elements of fp32, an element goes through up to 10
// additions in its thread, where the chain had 84, and then through up to 29, as before: 13 of
// these are the chain of a lane that adds up the sums of blocks. (In step 1, 2^16 elements of bf16
// with one exponent add up without any error, because 8 bits and 16 are 24. The time is the same.)
//
// Predict: what do the ten levels need that a chain does not, and does it show in the time?
#include "tree.cuh"

namespace {

constexpr int kLevels = 10;  // 1023 steps per thread

struct InFp32 {
  float value;
  __device__ void add(float x) { value += x; }
  __device__ void add(const InFp32& other) { value += other.value; }
  __device__ double result() const { return value; }
};

template <class T> struct Own {
  using Sum = InFp32;
  float level[kLevels] = {};  // of 2^i steps, where bit i of `steps` is set
  int steps = 0;
  template <int kCount> __device__ void take(const T (&x)[kCount]) {
    float value[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) value[i] = wb::to_float(x[i]);
#pragma unroll
    for (int distance = 1; distance < kCount; distance *= 2)
#pragma unroll
      for (int i = 0; i < kCount; i += 2 * distance) value[i] += value[i + distance];
    float sum = value[0];
#pragma unroll
    for (int i = 0; i < kLevels; ++i) {
      if (!(steps >> i & 1)) {
        level[i] = sum;
        break;
      }
      sum += level[i];
    }
    ++steps;
  }
  __device__ Sum result() const {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kLevels; ++i)
      if (steps >> i & 1) sum += level[i];
    return {sum};
  }
};

auto make(const Precision::Args& p) {
  if (plan_of(p).steps >= 1 << kLevels) throw wb::Unsupported("rows of up to 3 billion elements");
  return make_sums<Own>(p);
}

double bound(const Precision::Args& p) {
  const Plan plan = plan_of(p);
  return chain_bound(kUnit, std::ceil(std::log2(plan.per_step)) + std::ceil(std::log2(plan.steps)) +
                                1 + behind_thread(plan));
}

}  // namespace

WB_CUDA(Precision, step2_pairwise, make);
WB_BOUND(Precision, bound);
