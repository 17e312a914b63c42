// Inputs of products: normally distributed. A GPU at its power limit is slower on such numbers than
// on zeros or small integers, so only such numbers tell the time of a product.
#pragma once

#include <cmath>
#include <numbers>

#include "wb/problem.h"
#include "wb/profiles.h"

// Of standard deviation `deviation` (Box and Muller 1958); other ones for each number of an array.
inline wb::Fill normal(std::uint64_t array, double deviation = 1) {
  return [=](wb::i64 i, std::uint64_t seed) {
    const std::uint64_t own = seed ^ array * 0x9E3779B97F4A7C15u;
    const double u = (wb::uniform(own, 2 * i) + 1) / 2, v = wb::uniform(own, 2 * i + 1);
    return deviation * std::sqrt(-2 * std::log(1 - u)) * std::cos(std::numbers::pi * v);
  };
}

// Or what the case's profile makes of rows of so many elements (wb/profiles.h), of the same size.
// One array of a product may have one: sums of products with the other's stay as if independent.
template <class T>
wb::Fill normal_or_profile(const wb::Case& c, wb::i64 row, std::uint64_t array,
                           double deviation = 1) {
  if (!c.find("profile")) return normal(array, deviation);
  return wb::profiled<T>(c, {.row = row, .reach = deviation}, array);
}
