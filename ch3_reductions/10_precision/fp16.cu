// For comparison: elements of fp32, rounded to fp16 when they are added, as in a network whose sums
// have the type of its activations. 11 bits: u = 2^-11, and 65504 is the largest number.
//
// Predict: an accumulator takes 84 elements of 64 Mi. Does it stop growing?
#include "tree.cuh"

namespace {

struct Short {
  __half value;
  __device__ void add(float x) { value = value + wb::from_float<__half>(x); }
  __device__ void add(const Short& other) { value = value + other.value; }
  __device__ double result() const { return wb::to_float(value); }
};

auto make(const Precision::Args& p) {
  if (!p.is("fp32")) throw wb::Unsupported("for elements of fp32; for 16 bits see baseline");
  if (p.tail) throw wb::Unsupported("a tail is below the smallest number of fp16");
  return launch_of<Chains<Short, float>, float>(p);
}

// Two more: an element is rounded, too, and what is below 2^-14 a little more.
double bound(const Precision::Args& p) {
  return chain_bound(wb::kRounding<wb::half>, chained(p) + 2);
}

}  // namespace

WB_CUDA(Precision, fp16, make);
WB_BOUND(Precision, bound);
