// The profile of inputs that a case asks for (wb/profiles.h), given to an array of its problem.
#pragma once

#include <cstdint>
#include <optional>

#include "wb/variant.h"

namespace wb {

// One of the arrays that have no Fill has it: were it several, their products would add up to more
// than sums of independent values do, for which bounds are derived. Which one, the seed decides.
class WithProfile {
 public:
  WithProfile(const Problem& problem, const Case& c, std::uint64_t seed);
  // The problem's array number `index`, as the case wants it.
  ArraySpec operator()(ArraySpec spec, std::size_t index) const;

 private:
  const Case& case_;
  std::optional<std::size_t> array_;
};

}  // namespace wb
