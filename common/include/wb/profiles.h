// What inputs look like beside uniform ones, for each operation has values at which honest code
// goes wrong: a maximum that starts at 0, a sum that cancels, a pivot that is an outlier. A test
// draws such a profile by chance; it is a word of its case, the axis "profile".
//
// An array without a Fill has the profile from the harness, within [-1, 1) and in multiples of
// 2^-23, as uniform values are, so bounds that hold for these hold for it. A problem says more in
// bind(): a Fill of its own stays as it is, profiled() takes its place, and what cannot be, such as
// an outlier among probabilities, throws Unsupported, so that another one is drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "wb/half.h"
#include "wb/problem.h"

namespace wb {

// Within rows; "below" is far below 0, in two groups, and "inf" has -inf in parts, whole rows too:
// it is for a Tolerance that knows NaN. "denormal" is below the smallest normal number.
constexpr const char* kProfiles[] = {"constant", "outlier",  "offset", "below",
                                     "inf",      "denormal", "signs",  "sorted"};

// And "rounding", where nearly each addition rounds: it is drawn for Problem::same_bits alone.

struct Profiled {
  i64 row = 1;       // elements from one row's begin to the next one's
  double reach = 1;  // the largest size; one that is negative turns all signs
  i64 late = 0;      // elements in front of the first row
  // What values are multiples of, so that sums of them do not round. Not of "denormal" and "inf".
  double step = 0x1p-23;
};

// The same salt and seed give the same values.
Fill profiled(std::string_view profile, Type type, const Profiled& how, std::uint64_t salt);

// Empty where the case has no profile. Arrays that share their contents share the salt.

template <class T> Fill profiled(const Case& c, const Profiled& how, std::uint64_t salt) {
  const std::string_view profile = c.word("profile");
  return profile.empty() ? Fill{} : profiled(profile, TypeOf<T>::value, how, salt);
}

// For sums that are compared exactly: `n` of these values of type T add up without rounding. Throws
// Unsupported where that leaves them too few bits, and for a profile that is not in steps.
template <class T> Fill profiled_sum(const Case& c, Profiled how, i64 n, std::uint64_t salt) {
  const std::string_view profile = c.word("profile");
  const double units = std::log2(static_cast<double>(n) + 1) - 24;
  how.step = std::max({how.step, std::exp2(std::ceil(units)), double{kRounding<T>}});
  if (how.step > 0x1p-6 || profile == "inf" || profile == "denormal")
    throw Unsupported("its sums are of what never rounds");
  return profiled<T>(c, how, salt);
}

}  // namespace wb
