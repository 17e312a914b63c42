// The yardstick: cub::DeviceReduce, with a sum of fp32. Its function Sum would take the type of the
// result for its accumulators, fp64 here. CUB says that a device gives the same bits each time, and
// does not say in which order it adds.
#define NVTX_DISABLE  // CUB's marks for profilers are functions of the whole program
#include <cub/device/device_reduce.cuh>

#include "tree.cuh"

namespace {

struct AddInFp32 {
  template <class A, class B> __device__ float operator()(A a, B b) const {
    return static_cast<float>(a) + static_cast<float>(b);
  }
};

auto make(const Precision::Args& p) {
  if (p.sums != 1) throw wb::Unsupported("DeviceReduce makes one sum per call");
  return wb::with_dtype(p.dtype, [&](auto zero) -> std::function<void(cudaStream_t)> {
    const auto* x = static_cast<const wb::DeviceType<decltype(zero)>*>(p.x);
    const auto call = [=](void* storage, std::size_t bytes, cudaStream_t stream) {
      WB_CHECK(cub::DeviceReduce::Reduce(storage, bytes, x, p.y, p.n, AddInFp32{}, 0.0f, stream));
      return bytes;
    };
    const std::size_t bytes = call(nullptr, 0, nullptr);  // says how many it needs
    return [=, storage = wb::make_device_array<char>(static_cast<i64>(bytes) + 1)](
               cudaStream_t stream) { call(storage.get(), bytes, stream); };
  });
}

// At least 2^15 threads share a long sum, and a thread takes up to 64 elements of a short one.
double bound(const Precision::Args& p) {
  return chain_bound(kUnit, static_cast<double>(p.n) / (1 << 15) + 64);
}

}  // namespace

WB_CUDA(Precision, library, make);
WB_BOUND(Precision, bound);
