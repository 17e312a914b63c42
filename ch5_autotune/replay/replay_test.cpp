// Replays on tables that are made here: what a strategy is worth is a matter of counting.
#include "replay.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/failure.h"
#include "base/files.h"

namespace {

using namespace tune;

constexpr const char* kSubject =
    R"({{"lesson":"l","backend":"cpu","device":"d","id":"i","driver":"v","axes":"n=1","space":"{}"}})"
    "\n";

std::string line(const std::string& configuration, const std::string& status, double seconds,
                 double predicted = 0) {
  return fmt::format(R"({{"configuration":"{}","status":"{}","seconds":{},"predicted":{}}})"
                     "\n",
                     configuration, status, seconds, predicted);
}

class ReplayTest : public testing::Test {
 protected:
  Table load(const std::string& text) {
    wb::write_atomically(path_, text);
    return load_table(path_);
  }
  // 8 x 8 x 8 x 4: times depend on all parameters, two of them together; predictions are rough.
  Table valley() {
    std::string text =
        fmt::format(kSubject, "A=0,1,2,3,4,5,6,7 B=0,1,2,3,4,5,6,7 C=0,1,2,3,4,5,6,7 D=0,1,2,3");
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        for (int c = 0; c < 8; ++c)
          for (int d = 0; d < 4; ++d) {
            const double rough = 1 + 0.1 * std::abs(a - 5) + 0.05 * std::abs(c - 2);
            const double noise = 0.03 * std::sin(97.0 * a + 31 * b + 11 * c + 7 * d);
            text +=
                line(fmt::format("A={} B={} C={} D={}", a, b, c, d), "ok",
                     1e-6 * (rough + 0.1 * std::abs(a + b - 9) + 0.05 * d + noise), 1e-6 * rough);
          }
    return load(text);
  }
  const wb::Scratch scratch_;
  const std::string path_ = scratch_.file("table.jsonl");
};

TEST_F(ReplayTest, ATableIsASpaceOfItsOwn) {
  const Table table = load(fmt::format(kSubject, "A=1,2 B=3,4") + line("A=1 B=3", "ok", 2e-6, 1) +
                           line("A=2 B=4", "ok", 1e-6, 2) + line("A=2 B=3", "spills", 0));
  EXPECT_EQ(table.space.all().size(), 3u);
  EXPECT_EQ(table.space.why_illegal({0, 1}), "it is not in the table");
  EXPECT_EQ(table.optimum, 1e-6);
  EXPECT_TRUE(table.predicted);
  EXPECT_EQ(rank_correlation(table), -1);
}

TEST_F(ReplayTest, OnlyTheExhaustiveOneTriesAll) {
  const Table table =
      load(fmt::format(kSubject, "A=1,2,3,4") + line("A=1", "ok", 2e-6) +
           line("A=2", "incorrect", 0) + line("A=3", "ok", 3e-6) + line("A=4", "ok", 1e-6));
  EXPECT_EQ(replay(table, "exhaustive", 1), (std::vector<double>{2e-6, 2e-6, 2e-6, 1e-6}));
  EXPECT_FALSE(table.predicted);
  for (const Replay& r : replay_all(table, 5)) EXPECT_NE(r.strategy, "model");
}

TEST_F(ReplayTest, TablesOfNothingAreRefused) {
  EXPECT_THROW(load(fmt::format(kSubject, "A=1,2")), wb::Failure);
  EXPECT_THROW(load(fmt::format(kSubject, "A=1") + line("A=1", "crashed", 0)), wb::Failure);
  EXPECT_THROW(load("{}\n"), wb::Failure);
  for (const char* space : {"A", "A=", "=1", "A=x"})
    EXPECT_THROW(load(fmt::format(kSubject, space) + line("A=1", "ok", 1)), std::exception)
        << space;
}

TEST_F(ReplayTest, RanksOfTiesAreShared) {
  // Ranks 0.5 0.5 2 3 against 0 1 2.5 2.5: by hand, 4.25 / sqrt(4.5 * 4.5).
  const Table table =
      load(fmt::format(kSubject, "A=1,2,3,4") + line("A=1", "ok", 1e-6, 1) +
           line("A=2", "ok", 2e-6, 1) + line("A=3", "ok", 3e-6, 2) + line("A=4", "ok", 3e-6, 3));
  EXPECT_NEAR(rank_correlation(table), 4.0 / 4.5, 1e-12);
}

// The claim of lesson 03 on a table of the test's own: a third of random's trials.
TEST_F(ReplayTest, TheBestStrategyNeedsAThirdOfRandomsTrials) {
  const Table table = valley();
  EXPECT_EQ(table.records.size(), 2048u);
  EXPECT_GT(rank_correlation(table), 0.3);
  const std::vector<Replay> all = replay_all(table, 100);
  ASSERT_EQ(all.size(), 6u);
  double random = 0, best = 1e9;
  for (const Replay& r : all) {
    EXPECT_LE(r.trials.low, r.trials.median);
    EXPECT_LE(r.trials.median, r.trials.high);
    EXPECT_EQ(r.reached.back().low, 1) << r.strategy << " did not get there";
    if (r.strategy == "random") random = r.trials.median;
    best = std::min(best, r.trials.median);
  }
  EXPECT_GT(random, 30);
  EXPECT_LE(best, random / 3);
}

}  // namespace
