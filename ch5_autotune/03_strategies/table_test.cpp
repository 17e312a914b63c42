// What the page claims of the table that lies in this folder.
#include <gtest/gtest.h>

#include <filesystem>

#include "../replay/replay.h"
#include "base/build_info.h"

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

TEST(Table, TheBestStrategyNeedsAThirdOfRandomsTrials) {
  double random = 0, best = 1e9;
  for (const Replay& r : replay_all(load_table(kPath), 100)) {
    if (r.strategy == "random") random = r.trials.median;
    best = std::min(best, r.trials.median);
  }
  EXPECT_GT(best, 0);
  EXPECT_LE(best, random / 3);
}

}  // namespace
