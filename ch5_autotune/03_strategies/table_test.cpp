// What the page claims of the table that lies in this folder.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "../replay/replay.h"
#include "base/build_info.h"
#include "base/median.h"

namespace {

using namespace tune;

const std::string kPath =
    std::string(wb::source_folder()) + "/ch5_autotune/03_strategies/table.jsonl";

TEST(Table, IsSmallAndOfAWholeSpace) {
  EXPECT_LT(std::filesystem::file_size(kPath), 2'000'000u);
  const Table table = load_table(kPath);
  EXPECT_GE(table.records.size(), 500u);
  EXPECT_TRUE(table.predicted) << "the variant optimized begins with predictions";
  EXPECT_EQ(table.space.all().size(), table.records.size());
}

// Until 98 % of the optimum, of thirty seeds. Predictions are blurred: by a factor of e, `blur`
// times a normal number of each configuration and seed.
double median_trials(Table table, const std::string& strategy, double blur = 0) {
  const auto recorded = table.records;
  std::vector<double> trials;
  for (int seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<> normal(0, 1);
    for (auto& [configuration, r] : table.records)
      r.predicted = recorded.at(configuration).predicted * std::exp(blur * normal(random));
    const std::vector<double> run = replay(table, strategy, seed);
    const auto good = [&](double seconds) { return table.optimum / seconds >= kGood; };
    trials.push_back(
        static_cast<double>(std::find_if(run.begin(), run.end(), good) - run.begin() + 1));
  }
  return wb::median(trials);
}

// The formula was fitted to this table, among others; so a third is asked for without it, too.
TEST(Table, AThirdOfRandomsTrialsIsEnough) {
  Table table = load_table(kPath);
  const double third = median_trials(table, "random") / 3;
  EXPECT_GT(third, 10);
  EXPECT_LE(median_trials(table, "evolutionary"), third);
  EXPECT_GT(rank_correlation(table), 0.8);
  EXPECT_LE(median_trials(table, "model"), third / 4);

  EXPECT_LE(median_trials(table, "model", 0.6), third)
      << "it believes a formula that is half right";

  for (auto& [configuration, r] : table.records) r.predicted = 1;
  EXPECT_LE(median_trials(table, "model"), third) << "it learns nothing from the trials";
}

}  // namespace
