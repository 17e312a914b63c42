// Whether a variant gives the same bits on any number of threads, for those that promise it.
#pragma once

#include <string>

#include "measure/trial.h"

namespace wb {

// Numbers of threads, of 1, 3 and 7, with which it gives other bits on this case, in one line, or
// "".
std::string other_bits(const Variant& variant, const Case& c, std::uint64_t seed, Backend& backend,
                       Runners& where);

}  // namespace wb
