// The yardstick: cub::DeviceSegmentedReduce, which takes any segments of an array. Its temporary
// storage is allocated in set-up. Its function Sum is this one with 0 and +, but it would add
// 16-bit elements in 16 bits, so here they are converted to floats first. It has nothing for means.
#define NVTX_DISABLE  // CUB's marks for profilers are functions of the whole program
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <climits>
#include <cub/device/device_segmented_reduce.cuh>

#include "rows.cuh"

namespace {

struct RowBegin {
  i64 stride, behind;
  __host__ __device__ i64 operator()(i64 row) const { return row * stride + behind; }
};

template <class T> struct AsFloat {
  __device__ float operator()(T value) const { return wb::to_float(value); }
};

template <class Op> struct Combine {
  __device__ float operator()(float a, float b) const { return Op::combine(a, b); }
};

template <class T> auto as_floats(const T* x) {
  if constexpr (std::is_same_v<T, float>)
    return x;
  else
    return thrust::make_transform_iterator(x, AsFloat<T>());
}

// Asks for the size of the storage where that is null.
template <class Op, class T>
void reduce(Rows<T> r, void* storage, std::size_t& bytes, cudaStream_t stream) {
  const auto row_at = [&](i64 behind) {
    return thrust::make_transform_iterator(thrust::counting_iterator<i64>(0),
                                           RowBegin{r.stride, behind});
  };
  WB_CHECK(cub::DeviceSegmentedReduce::Reduce(
      storage, bytes, as_floats(r.x), r.y, static_cast<int>(r.rows), row_at(0), row_at(r.columns),
      Combine<Op>(), Op::identity(), stream));
}

auto make(const InnerAxis::Args& p) {
  if (p.op == Operation::mean) throw wb::Unsupported("CUB has no means");
  if (p.rows > INT_MAX) throw wb::Unsupported("older CUBs count segments with 32 bits");
  std::size_t bytes = 0;
  with_rows(p, [&](auto op, auto rows) { reduce<decltype(op)>(rows, nullptr, bytes, nullptr); });
  const auto storage = wb::make_device_array<char>(static_cast<i64>(bytes) + 1);
  return [=](cudaStream_t stream) mutable {
    with_rows(
        p, [&](auto op, auto rows) { reduce<decltype(op)>(rows, storage.get(), bytes, stream); });
  };
}

}  // namespace

WB_CUDA(InnerAxis, library, make);
