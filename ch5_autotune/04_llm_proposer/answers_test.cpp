// The answers of this lesson get the verdicts that their kinds say, and each verdict occurs.
#include "answers.h"

#include <gtest/gtest.h>

#include <map>

namespace {

using tune::Verdict;

TEST(MadeUp, EveryKindGetsItsVerdicts) {
  std::map<Kind, std::map<Verdict, int>> seen;
  std::set<tune::Configuration> asked;
  for (wb::i64 i = 0; i < 8000; ++i) {
    const std::string text = made_up(7, i);
    ASSERT_LE(text.size(), std::size_t{kWidth}) << text;
    const auto read = tune::read_proposals("{\"configurations\":[" + text + "]}", space(),
                                           {space().fallback()}, asked);
    ++seen[kind_of(7, i)][read.size() == 1 ? read[0].verdict : Verdict::malformed];
  }
  for (const Kind kind : {Kind::no_integer, Kind::names, Kind::around, Kind::nested, Kind::cut}) {
    EXPECT_EQ(seen[kind].size(), 1u) << static_cast<int>(kind);
    EXPECT_GT(seen[kind][Verdict::malformed], 300);
  }
  for (const auto& [verdict, count] : seen[Kind::good]) EXPECT_NE(verdict, Verdict::malformed);
  EXPECT_EQ(seen[Kind::value].size(), 1u);
  EXPECT_GT(seen[Kind::value][Verdict::illegal], 300);
  EXPECT_GT(seen[Kind::huge][Verdict::illegal], 100);
  EXPECT_GT(seen[Kind::huge][Verdict::malformed], 100);
  EXPECT_GT(seen[Kind::good][Verdict::accepted], 1000);
  EXPECT_GT(seen[Kind::again][Verdict::repeated], 100);
}

TEST(MadeUp, NumbersAreAPlaceEach) {
  std::set<int> numbers;
  for (const tune::Configuration& c : space().all()) numbers.insert(number(c));
  EXPECT_EQ(numbers.size(), space().all().size());
  EXPECT_LT(*numbers.rbegin(), kConfigurations);
}

}  // namespace
