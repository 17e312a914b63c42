// The yardstick: CUB, which comes with the CUDA Toolkit. Its temporary storage is made in set-up. A
// sum of fp32 is cub::DeviceReduce::Sum. All other cases are its Reduce with our operation, because
// its own largest and smallest ignore NaN, and its Sum does not add 16-bit numbers in fp32.
//
// Predict: CUB launches two kernels where one block is not enough. Does that show at 2^28 elements?
#define NVTX_DISABLE  // its marks for profilers would define functions for the whole program
#include <cub/device/device_reduce.cuh>

#include "reduce.cuh"
#include "sum.h"

namespace {

template <class Op> struct Combine {
  __device__ float operator()(float a, float b) const { return Op::combine(a, b); }
};

// Its indices have as many bits as n: 32 are enough for nearly all cases.
template <class Op, class T, class N>
cudaError_t reduce(void* storage, std::size_t& bytes, const Sum::Args& p, N n, cudaStream_t s) {
  const T* x = static_cast<const T*>(p.x);
  if constexpr (std::is_same_v<Op, Plus> && std::is_same_v<T, float>)
    return cub::DeviceReduce::Sum(storage, bytes, x, p.result, n, s);
  else
    return cub::DeviceReduce::Reduce(storage, bytes, x, p.result, n, Combine<Op>{}, Op::identity(),
                                     s);
}

auto make(const Sum::Args& p) {
  if (p.mean()) throw wb::Unsupported("CUB has no mean");
  std::function<void(cudaStream_t)> launch;
  with_op_and_type(p, [&](auto op, auto zero) {
    const auto call = [p](void* storage, std::size_t& bytes, cudaStream_t stream) {
      using Op = decltype(op);
      using T = decltype(zero);
      if (p.n <= INT32_MAX)
        WB_CHECK((reduce<Op, T>(storage, bytes, p, static_cast<int>(p.n), stream)));
      else
        WB_CHECK((reduce<Op, T>(storage, bytes, p, p.n, stream)));
    };
    std::size_t bytes = 0;
    call(nullptr, bytes, nullptr);  // says how many it needs
    launch = [=, storage = wb::make_device_array<char>(static_cast<wb::i64>(bytes))](
                 cudaStream_t stream) {
      std::size_t size = bytes;
      call(storage.get(), size, stream);
    };
  });
  return launch;
}

}  // namespace

WB_CUDA(Sum, library, make);
