// Changes against optimized: the stores ask the L2 to give up their lines last (PTX ISA: cache
// eviction priority), for the next kernel is likely to read them.
//
// It looks faster by 1 or 2 %, and is not: some 10 MB of the result are still in the L2 when the
// kernel ends, not yet written to memory. Whoever comes next pays for that, unless it reads just
// these lines. So the other variants do without it.
//
// On an H200 (2026-11-25) 8192 rows of 8192 take 127.4 us with the hint and 129.5 us without in
// fp32, 63.5 and 64.9 us in bf16. With a kernel behind it that reads all of the result, from its
// first row on (the case softmax_read), both together take 197.7 us, and 200.1 without the hint:
// the reader does not pay for the lines.
//
// Predict: a kernel behind this one that reads the result from its end: what would it find?
#include <algorithm>

#include "../shared/pack.cuh"
#include "online.cuh"

namespace {

constexpr int kElements = 32, kMostThreads = 1024;

__device__ inline void store_and_keep(void* to, uint4 words) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{\n .reg .b64 policy;\n"
      " createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
      " st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, policy;\n}" ::"l"(to),
      "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)
      : "memory");
#else
  *static_cast<uint4*>(to) = words;
#endif
}

template <class T> __global__ void __launch_bounds__(kMostThreads) softmax(Rows<T> r) {
  constexpr int kWidth = Pack<T>::kWidth, kLoads = kElements / kWidth;
  __shared__ Part of_warp[kWarp];
  const int threads = blockDim.x;
  const T* const x = r.x + blockIdx.x * r.stride;
  T* const y = r.out + blockIdx.x * r.stride;
  const auto at = [&](int i) { return (i * threads + static_cast<int>(threadIdx.x)) * kWidth; };
  const auto has = [&](int i) { return at(i) < r.columns; };
  Pack<T> pack[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i)
    if (has(i)) pack[i] = Pack<T>::load(x + at(i));
  float value[kElements];
  Part own = kNothing;
#pragma unroll
  for (int i = 0; i < kElements; ++i) {
    if (i % kWidth == 0) pack[i / kWidth].to_floats(value + i);
    if (!has(i / kWidth)) value[i] = -INFINITY;
    own.max = fmaxf(own.max, value[i]);
  }
#pragma unroll
  for (int i = 0; i < kElements; ++i) own.sum += value[i] = scale(value[i], own.max);
  const Part all = over_block(own, of_warp, kNothing);
  const float factor = scale(own.max, all.max) / all.sum;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
#pragma unroll
    for (int j = 0; j < kWidth; ++j) value[i * kWidth + j] *= factor;
    if (has(i)) store_and_keep(y + at(i), Pack<T>::of(value + i * kWidth).words);
  }
}

auto make(const Softmax::Args& p) {
  forward_with_reader(p);
  with_rows(p, [&]<class T>(Rows<T> r) {
    if (r.columns > kElements * kMostThreads ||
        !fill_packs({r.x, r.out}, r.columns | r.stride, Pack<T>::kWidth))
      throw wb::Unsupported("rows of up to 32 Ki elements, in whole loads of 16 bytes");
  });
  return [p, read = reader(p)](cudaStream_t stream) {
    with_rows(p, [&](auto r) {
      const unsigned threads = blocks(r.columns, kElements * kWarp) * kWarp;
      softmax<<<static_cast<unsigned>(r.rows), threads, 0, stream>>>(r);
    });
    read(stream);
  };
}

}  // namespace

WB_CUDA(Softmax, step5_evict_last, make);
