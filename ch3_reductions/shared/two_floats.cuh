// A word that holds two elements of 16 bits, as floats; the first is its lower half.
#pragma once

#include <cstring>

#include "wb/half.cuh"

namespace {

__device__ inline float2 two_floats(unsigned word, __nv_bfloat16) {
  return {__uint_as_float(word << 16), __uint_as_float(word & 0xFFFF0000)};
}
__device__ inline float2 two_floats(unsigned word, __half) {
  __half2 two;
  memcpy(&two, &word, sizeof two);
  return __half22float2(two);
}

}  // namespace
