// The first kernel that one would write: `T sum`, an accumulator of the elements' own type. For
// fp16 and bf16 it has 11 or 8 bits, in each of some hundred thousand threads, and then in a tree
// over them.
//
// Predict: 64 Mi numbers of fp16, 760,000 accumulators. How many additions does an element go
// through? By how much may the result be off, in percent? And what does it cost to keep the sums in
// fp32 instead?
#include "tree.cuh"

namespace {

template <class T> struct SameType {
  T value;
  __device__ void add(T x) { value = value + x; }
  __device__ void add(const SameType& other) { value = value + other.value; }
  __device__ double result() const { return wb::to_float(value); }
};
template <class T> using Own = Chains<SameType<T>, T>;

double bound(const Precision::Args& p) {
  return wb::with_dtype(
      p.dtype, [&](auto zero) { return chain_bound(wb::kRounding<decltype(zero)>, chained(p)); });
}

}  // namespace

WB_CUDA(Precision, baseline, make_sums<Own>);
WB_BOUND(Precision, bound);
