// For tests of a bank: every deliberately wrong variant that is linked must be caught, and every
// right one must pass, at every size.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/backend.h"
#include "measure/trial.h"
#include "wb/variant.h"

namespace wb {

inline std::vector<Variant> bank(const std::string& backend, const std::string& kind) {
  std::vector<Variant> found;
  for (const Variant& v : linked_variants())
    if (v.problem->lesson == "bank" && v.backend == backend && v.note.starts_with(kind))
      found.push_back(v);
  return found;
}

// In one run of hundreds all that changes is what a variant that remembers looks at, and it is
// right then: not with these inputs.
constexpr std::uint64_t kSeed = 1;

// What a variant's checks say, as a lesson program runs them: set-up on arrays that another variant
// has used, verification, then timed samples of 64 launches, or of what a second allows.
inline std::string judge(const Variant& variant, const Case& c, Backend& backend, int samples = 8,
                         double budget = 1, const ArraySetup& options = {}) {
  Data data(*variant.problem, c, backend, kSeed, options);
  data.arrays.load(0);
  data.arrays.prepare(0);
  backend.synchronize();
  Trial trial(variant, data, backend);
  std::string error = trial.verify();
  for (int i = 0; i < samples && error.empty(); ++i)
    trial.sample({.cache = Cache::hot, .budget = budget, .at_most = 64}, error,
                 /*whole=*/i == samples - 1);
  return error;
}

inline void catch_all(Backend& backend, std::size_t least) {
  const auto wrong = bank(backend.name(), "wrong");
  EXPECT_GE(wrong.size(), least) << "the bank must hold at least that many wrong variants";
  for (const Variant& v : wrong)
    for (const Case& c : v.problem->test)
      EXPECT_NE(judge(v, c, backend), "") << v.name << " " << label(c) << " was not caught";
}

inline void pass_all(Backend& backend, std::size_t least) {
  const auto right = bank(backend.name(), "right");
  EXPECT_GE(right.size(), least);
  for (const Variant& v : right) {
    std::vector<Case> cases = v.problem->test;
    cases.insert(cases.end(), v.problem->bench.begin(), v.problem->bench.end());
    for (int i = 0; i < 20; ++i) {
      const Case& c = cases[i % cases.size()];
      EXPECT_EQ(judge(v, c, backend, 1, 0.01), "") << v.name << " " << label(c);
    }
  }
}

}  // namespace wb
