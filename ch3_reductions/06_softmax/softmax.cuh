// What the GPU variants share: rows with their type.
#pragma once

#include "../shared/team.cuh"
#include "softmax.h"
#include "wb/half.cuh"

namespace {

using wb::i64;

// f(rows) for the type of this case; not where there is nothing to do.
template <class F> void with_rows(const Softmax::Args& p, F f) {
  if (p.rows == 0 || p.columns == 0) return;
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    f(rows_of<T>(p));
    WB_CHECK(cudaGetLastError());
  });
}

// The steps are about softmax itself, and the exercise about its gradient.
inline void no_reader(const Softmax::Args& p) {
  if (p.read) throw wb::Unsupported("the pair with a reader is for baseline, optimized and step 5");
}
inline void forward_only(const Softmax::Args& p) {
  if (p.backward) throw wb::Unsupported("the backward pass is the exercise");
  no_reader(p);
}
inline void forward_with_reader(const Softmax::Args& p) {
  if (p.backward) throw wb::Unsupported("the backward pass is the exercise");
}
inline void backward_only(const Softmax::Args& p) {
  if (!p.backward) throw wb::Unsupported("the backward pass alone");
}

// The second kernel of softmax_read: reads all of the result, in whole loads of 16 bytes.
__global__ void read_all(const uint4* from, i64 loads, unsigned* left) {
  unsigned bits = 0;
  const i64 threads = i64{gridDim.x} * blockDim.x;
  for (i64 i = blockIdx.x * i64{blockDim.x} + threadIdx.x; i < loads; i += threads) {
    const uint4 words = from[i];
    bits |= words.x ^ words.y ^ words.z ^ words.w;
  }
  if (bits == 1) *left = bits;  // never, but the compiler can't know
}

// Launches it where the case asks for it.
inline auto reader(const Softmax::Args& p) {
  return [p, left = wb::make_device_array<unsigned>(1),
          grid = wave(read_all, 256)](cudaStream_t stream) {
    const double bytes = p.rows * p.columns * Softmax::element_bytes(p.dtype);
    if (p.read)
      read_all<<<grid, 256, 0, stream>>>(static_cast<const uint4*>(p.out),
                                         static_cast<i64>(bytes / 16), left.get());
  };
}

}  // namespace
