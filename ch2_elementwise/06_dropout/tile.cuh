// Eight neighbouring elements of a thread, for the CUDA variants: 16 bytes per access where the
// eight are all there and the arrays allow it, else one by one.
#pragma once

#include <cstdint>

#include "dropout.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

// Whether both arrays begin at a 16-byte boundary. A view into a larger array need not.
inline bool aligned(const Dropout::Args& p) {
  return (reinterpret_cast<std::uintptr_t>(p.x) | reinterpret_cast<std::uintptr_t>(p.y)) % 16 == 0;
}

// As fp32, whatever is stored. `left` elements exist; zeros follow them.
template <class T>
__device__ void load(const T* from, wb::i64 left, bool aligned, float (&value)[8]) {
  alignas(16) T element[8];
  if (aligned && left >= 8) {
#pragma unroll
    for (int i = 0; i < sizeof element / 16; ++i)
      reinterpret_cast<uint4*>(element)[i] = reinterpret_cast<const uint4*>(from)[i];
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i) element[i] = i < left ? from[i] : wb::from_float<T>(0);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) value[i] = wb::to_float(element[i]);
}

template <class T>
__device__ void store(T* to, wb::i64 left, bool aligned, const float (&value)[8]) {
  alignas(16) T element[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) element[i] = wb::from_float<T>(value[i]);
  if (aligned && left >= 8) {
#pragma unroll
    for (int i = 0; i < sizeof element / 16; ++i)
      reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(element)[i];
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (i < left) to[i] = element[i];
  }
}

}  // namespace
