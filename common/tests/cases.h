// For tests of the cases that a lesson is tested with: each kernel that its plan can choose has
// one. Those that all variants are tested with stand in the lesson. Those that are too large for
// that stand in the test of the plan, for the variant that has the plan.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "device/backends.h"
#include "measure/answers.h"
#include "measure/random_cases.h"
#include "measure/same_bits.h"
#include "measure/trial.h"
#include "wb/variant.h"

namespace wb {

template <class Lesson, std::size_t kCount> std::vector<Case> tested(const Case (&own)[kCount]) {
  std::vector<Case> all(std::begin(Lesson::test), std::end(Lesson::test));
  all.insert(all.end(), std::begin(own), std::end(own));
  return all;
}

// `all`: the ways that the plan can choose. ways_of(case): those that a case takes.
template <class F>
void expect_a_case_for_each(const std::set<std::string>& all, const std::vector<Case>& cases,
                            F ways_of) {
  std::set<std::string> taken;
  for (const Case& c : cases) taken.merge(ways_of(c));
  for (const std::string& way : all)
    EXPECT_TRUE(taken.contains(way)) << "no test case takes this way: " << way;
  for (const std::string& way : taken)
    EXPECT_TRUE(all.contains(way)) << "not among those that were looked for: " << way;
}

// What a lesson's tests do with a case, but for its timing. No variant for a CPU has a way of its
// own for more than nine million elements, which take one long.
template <std::size_t kCount>
void expect_right(Backend& backend, const Variant& variant, const Case (&cases)[kCount]) {
  for (const Case& c : cases) {
    if (!traits_of(backend).accelerator && c.get("rows", 0) * c.get("columns", 0) > 9'000'000)
      continue;
    SCOPED_TRACE(label(c));
    Data data(*variant.problem, c, backend, 7);
    EXPECT_EQ(Trial(variant, data, backend).verify(), "");
  }
}

// run(args) as a variant of a lesson.
template <class Lesson, class F> Variant variant_of(const Backend& backend, F run) {
  return {&problem_of<Lesson>("bank"), "wrong", backend.name(), [=](const void* args) -> Launch {
            const auto& p = *static_cast<const typename Lesson::Args*>(args);
            return [=](void*) { run(p); };
          }};
}

// Of an honest variant: it is right with whatever profile (wb/profiles.h) is drawn for case `c`,
// but for one that it can't take.
inline void expect_right_with_profiles(Backend& backend, const Variant& variant, const Case& c,
                                       std::string_view but = "") {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const Case& with : with_profiles(*variant.problem, {c, c, c, c}, seed)) try {
        if (with.word("profile") == but) continue;
        Data data(*variant.problem, with, backend, seed);
        EXPECT_EQ(Trial(variant, data, backend).verify(), "") << label(with);
        tried += with.find("profile") != nullptr;
      } catch (const Unsupported&) {  // not drawn, either
      }
  EXPECT_GT(tried, 0) << label(c);
}

// A wrong kernel is caught by the test cases of a lesson whose values are `what`.
template <class Lesson, class F>
void expect_caught_by(const std::string& what, Backend& backend, F wrong) {
  const Variant variant = variant_of<Lesson>(backend, wrong);
  int caught = 0;
  for (const Case& c : Lesson::test) {
    if (c.word("values") != what) continue;
    Data data(*variant.problem, c, backend, 7);
    caught += !Trial(variant, data, backend).verify().empty();
  }
  EXPECT_GT(caught, 0) << what;
}

// The same with a profile of inputs (wb/profiles.h) on case `c`, which tests draw by chance, too.
template <class Lesson, class F>
void expect_caught_by_profile(const char* profile, Case c, Backend& backend, F wrong) {
  const Variant variant = variant_of<Lesson>(backend, wrong);
  int drawn = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const Case& with : with_profiles(*variant.problem, {c, c, c, c}, seed))
      drawn += with.word("profile") == std::string(profile);
  EXPECT_GT(drawn, 10) << profile;
  Data uniform(*variant.problem, c, backend, 7);
  EXPECT_EQ(Trial(variant, uniform, backend).verify(), "") << "no profile is needed to see this";
  c.set({"profile", profile});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Data data(*variant.problem, c, backend, seed);
    EXPECT_NE(Trial(variant, data, backend).verify(), "") << label(c) << " WB_SEED=" << seed;
  }
}

// Sums whose pieces depend on the number of threads are right within any tolerance. Where a lesson
// promises the same bits on any number of cores (Problem::same_bits), its tests must see them.
template <class Lesson, class F> void expect_other_bits(Case c, F wrong) {
  c.set({"profile", "rounding"});
  const auto backend = make_cpu_backend();
  EXPECT_FALSE(problem_of<Lesson>("bank").same_bits.empty()) << "it promises nothing";
  const Variant variant = variant_of<Lesson>(*backend, wrong);
  EXPECT_NE(other_bits(variant, c, 7, *backend, this_process()), "") << label(c);
}

// A misspelt word is not taken for another one.
inline void expect_unknown(const Variant& variant, const Case& c) {
  EXPECT_THROW(bind(*variant.problem, c, [](const ArraySpec&) { return nullptr; }),
               std::invalid_argument)
      << label(c);
}

}  // namespace wb
