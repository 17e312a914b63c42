// What the files of the bank share: registering a variant, and computing element by element, so
// that one source makes a loop on the CPU and a kernel on a GPU.
#pragma once

#include <bit>
#include <cstdint>

#include "wb/variant.h"

#if defined(__CUDACC__) || defined(WB_BACKEND)
#include "wb/cuda.h"
#define WB_ANYWHERE __host__ __device__
#define WB_BANK_STREAM , cudaStream_t
#define WB_BANK_BACKEND WB_BACKEND  // or an emulated GPU
#else
#define WB_ANYWHERE
#define WB_BANK_STREAM
#define WB_BANK_BACKEND "cpu"
#endif

// Registers the function NAME. KIND: `wrong` must be caught, `right` must pass, `fatal` ends the
// program, `fatal_if_tight` where nothing lies between arrays and pages without access
// (ArraySetup); `threads` is right with as many threads as its author has cores.
#define WB_BANK(PROBLEM, NAME, KIND)                                                  \
  [[maybe_unused]] static const bool r_##NAME =                                       \
      (wb::add_variant<PROBLEM WB_BANK_STREAM>("bank", #NAME, WB_BANK_BACKEND, NAME), \
       wb::linked_variants().back().note = #KIND, true)

// WB_BANK_ELEMENT(Wrong, zeros, wrong) { what it does for element i of PROBLEM::elements(p) }
#define WB_BANK_ELEMENT(PROBLEM, NAME, KIND)                                      \
  struct NAME##_element {                                                         \
    static WB_ANYWHERE void at(const PROBLEM::Args& p, wb::i64 i);                \
  };                                                                              \
  constexpr auto NAME = bank::each<NAME##_element, PROBLEM::Args WB_BANK_STREAM>; \
  WB_BANK(PROBLEM, NAME, KIND);                                                   \
  inline WB_ANYWHERE void NAME##_element::at(const PROBLEM::Args& p, wb::i64 i)

namespace bank {

using wb::i64;

#if defined(__CUDACC__) || defined(WB_BACKEND)
constexpr int kBlock = 256;
inline unsigned blocks(i64 n) { return static_cast<unsigned>((n + kBlock - 1) / kBlock); }

template <class Element, class Args> __global__ void each_kernel(Args p, i64 n) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) Element::at(p, i);
}
template <class Element, class Args, class Stream> void each(const Args& p, Stream stream) {
  each_kernel<Element><<<blocks(p.elements()), kBlock, 0, stream>>>(p, p.elements());
}
#else
template <class Element, class Args> void each(const Args& p) {
  for (i64 i = 0; i < p.elements(); ++i) Element::at(p, i);
}
#endif

// Without the last `bits` bits of its significand, rounded: 16 for bf16, 13 for fp16 and TF32.
WB_ANYWHERE inline float round_off(float value, int bits) {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value) + (1u << (bits - 1));
  return std::bit_cast<float>(all >> bits << bits);
}

}  // namespace bank
