// For tests of the cases that a lesson is tested with.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>

#include "measure/answers.h"
#include "wb/variant.h"

namespace wb {

// A misspelt word is not taken for another one.
inline void expect_unknown(const Variant& variant, const Case& c) {
  EXPECT_THROW(bind(*variant.problem, c, [](const ArraySpec&) { return nullptr; }),
               std::invalid_argument)
      << label(c);
}

}  // namespace wb
