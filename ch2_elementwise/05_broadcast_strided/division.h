// Division by a number that is known beforehand: Granlund and Montgomery, "Division by Invariant
// Integers using Multiplication" (PLDI 1994). With 2^shift >= divisor, n / divisor is
// n * (2^shift / divisor) >> shift; the factor is 1 and a fraction, of which 32 bits are kept,
// rounded up. The sum must fit into 32 bits, so n < 2^31.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define WB_HOST_DEVICE __host__ __device__
#else
#define WB_HOST_DEVICE
#endif

struct Division {
  static constexpr std::int64_t kMost = INT32_MAX;  // the largest dividend, and divisor

  unsigned divisor, fraction, shift = 0;

  explicit Division(std::int64_t by) : divisor(static_cast<unsigned>(by)) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    const std::uint64_t above = (std::uint64_t{1} << shift) - divisor;
    fraction = static_cast<unsigned>((above << 32) / divisor + 1);
  }
  WB_HOST_DEVICE unsigned quotient(unsigned n) const {
    return (static_cast<unsigned>(std::uint64_t{n} * fraction >> 32) + n) >> shift;
  }
};
