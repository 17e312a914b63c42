// Changes against step 1: accumulators of fp64, in the same chains. The result is exact but for its
// own rounding to fp32. An H200 has half as many units for fp64 as for fp32, a GPU for games a 32nd
// or a 64th. (The levels of step 2 take registers and tests. They hardly show: 66.1 us against 65.5
// for 64 Mi elements of fp32.)
//
// Predict: an H200 has 64 units for fp64 in each of 132 multiprocessors. How many additions are
// there time for while 4 bytes are read, and while 2 are?
#include "tree.cuh"

namespace {

struct InFp64 {
  double value;
  __device__ void add(float x) { value += x; }
  __device__ void add(const InFp64& other) { value += other.value; }
  __device__ double result() const { return static_cast<float>(value); }
};
template <class T> using Own = Chains<InFp64, T>;

double bound(const Precision::Args& p) { return kUnit + chained(p) * 0x1p-53; }

}  // namespace

WB_CUDA(Precision, step3_fp64, make_sums<Own>);
WB_BOUND(Precision, bound);
