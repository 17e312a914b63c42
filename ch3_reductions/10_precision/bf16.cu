// For comparison: elements of fp32, rounded to bf16 when they are added, as in a network whose sums
// have the type of its activations. 8 bits: u = 2^-8, and the range of fp32.
//
// Predict: an accumulator takes 84 elements of 64 Mi. From which sum on is an element of 1/2 lost
// in it?
#include "tree.cuh"

namespace {

struct Short {
  __nv_bfloat16 value;
  __device__ void add(float x) { value = value + wb::from_float<__nv_bfloat16>(x); }
  __device__ void add(const Short& other) { value = value + other.value; }
  __device__ double result() const { return wb::to_float(value); }
};

auto make(const Precision::Args& p) {
  if (!p.is("fp32")) throw wb::Unsupported("for elements of fp32; for 16 bits see baseline");
  return launch_of<Chains<Short, float>, float>(p);
}

// One more: an element is rounded, too.
double bound(const Precision::Args& p) {
  return chain_bound(wb::kRounding<wb::bfloat16>, chained(p) + 1);
}

}  // namespace

WB_CUDA(Precision, bf16, make);
WB_BOUND(Precision, bound);
