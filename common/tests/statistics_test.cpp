#include <gtest/gtest.h>

#include <random>

#include "base/median.h"
#include "report/standing.h"

namespace wb::report {
namespace {

TEST(Statistics, QuantilesOfNoneOneAndFew) {
  EXPECT_EQ(median({}), 0);
  const double one[] = {3}, four[] = {4, 1, 3, 2};
  EXPECT_EQ(median(one), 3);
  EXPECT_DOUBLE_EQ(median(four), 2.5);
  EXPECT_DOUBLE_EQ(quantile(four, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(four, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(four, 0.25), 1.75);  // between the first and the second
}

TEST(Statistics, RatioPairsSamplesSoThatDriftCancels) {
  // Both slow down threefold during the run; the variant always takes half as long.
  const double baseline[] = {2, 3, 4, 5, 6}, variant[] = {1, 1.5, 2, 2.5, 3};
  const Comparison r = compare(baseline, variant);
  EXPECT_DOUBLE_EQ(r.ratio, 2);
  EXPECT_DOUBLE_EQ(r.low, 1.98);  // no narrower than 1 % to each side
  EXPECT_DOUBLE_EQ(r.high, 2.02);
  EXPECT_EQ(compare(baseline, {}).ratio, 0);
}

TEST(Statistics, IntervalHoldsTheTrueRatioAbout95TimesIn100) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.05);
  int held = 0;
  constexpr int kRuns = 400;
  for (int run = 0; run < kRuns; ++run) {
    double baseline[9], variant[9];
    for (int i = 0; i < 9; ++i)
      baseline[i] = 1.5 * std::exp(noise(random)), variant[i] = std::exp(noise(random));
    const Comparison r = compare(baseline, variant);
    held += r.low <= 1.5 && 1.5 <= r.high;
  }
  EXPECT_GE(held, kRuns * 90 / 100);
}

TEST(Statistics, Verdicts) {
  EXPECT_EQ(verdict(1.001, 0.99, 1.01), "same");
  EXPECT_EQ(verdict(1.02, 1.01, 1.03), "same");  // certain, but small
  EXPECT_EQ(verdict(1.5, 1.4, 1.6), "faster");
  EXPECT_EQ(verdict(0.7, 0.6, 0.8), "slower");
  EXPECT_EQ(verdict(1.1, 0.9, 1.3), "ambiguous");
  EXPECT_EQ(verdict(1.0, 0.9, 1.01), "ambiguous");
  EXPECT_EQ(verdict(1.02, 1.01, 1.2), "ambiguous");
}

}  // namespace
}  // namespace wb::report
