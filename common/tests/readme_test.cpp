// Tables in README files come from stored results, and one that differs is found.
#include <gtest/gtest.h>

#include <fstream>

#include "base/failure.h"
#include "base/files.h"
#include "driver/catalogue.h"
#include "model/results.h"
#include "report/pages.h"
#include "report_rows.h"

namespace wb {
namespace {

const std::string kReadme =
    "# Sum\n<!-- results ch1_x/01_sum gpu -->\nstale\n<!-- end results -->\nThe end.\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Readme, TableComesFromTheResults) {
  const std::string text = with_tables(kReadme, "README.md", {{"gpu", make_results()}});
  EXPECT_TRUE(text.starts_with("# Sum\n<!-- results ch1_x/01_sum gpu -->\n\n**n=1**\n"));
  EXPECT_TRUE(text.ends_with("<!-- end results -->\nThe end.\n"));
  EXPECT_FALSE(has(text, "stale"));
  EXPECT_TRUE(has(text, "| optimized | 100 us | 10.0x [9.90, 10.1] faster |")) << text;
  EXPECT_TRUE(has(text, "Measured on Test GPU, 2026-01-02, with `./workbook compare ch1_x/01_sum"));
  EXPECT_FALSE(has(text, "02_gemm"));
  EXPECT_EQ(with_tables(text, "README.md", {{"gpu", make_results()}}), text) << "not stable";
}

TEST(Readme, EveryChangeIsFound) {
  const std::map<std::string, Results> stored = {{"gpu", make_results()}};
  const std::string good = with_tables(kReadme, "README.md", stored);
  std::string edited = good;
  edited.replace(edited.find("100 us"), 6, "99.0 us");
  EXPECT_NE(with_tables(edited, "README.md", stored), edited);
  Results newer = make_results();
  newer.rows[1].samples.assign(9, 9e-5);
  EXPECT_NE(with_tables(good, "README.md", {{"gpu", newer}}), good);
  newer = make_results();
  newer.rows[1].date = "2026-01-03";
  EXPECT_NE(with_tables(good, "README.md", {{"gpu", newer}}), good);
}

TEST(Readme, ATableSaysOnWhichDaysItsOwnRowsWereMeasured) {
  const std::string marker = "<!-- results ch1_x/02_gemm gpu -->\n<!-- end results -->\n";
  Results results = make_results();
  results.rows[0].date = "2026-01-09";  // another lesson's
  const auto text = [&] { return with_tables(marker, "README.md", {{"gpu", results}}); };
  EXPECT_TRUE(has(text(), "Measured on Test GPU, 2026-01-02, with")) << text();
  results.rows[3].date = "2026-01-05";
  EXPECT_TRUE(has(text(), "Measured on Test GPU, 2026-01-02 to 2026-01-05, with")) << text();
}

TEST(Readme, ChapterGivesASummary) {
  const std::string marker = "<!-- results ch1_x gpu -->\n<!-- end results -->\n";
  const std::string text = with_tables(marker, "README.md", {{"gpu", make_results()}});
  EXPECT_TRUE(has(text, "| ch1_x/01_sum | n=1 | 1.00 ms | 100 us |")) << text;
  EXPECT_TRUE(has(text, "| ch1_x/02_gemm/small | n=1 | 2.00 ms | WRONG |")) << text;
}

TEST(Readme, MarkersInCodeAreText) {
  const std::string text = "```\n<!-- results ch1_x gpu -->\n```\nand `<!-- results a b -->`\n";
  EXPECT_EQ(with_tables(text, "README.md", {{"gpu", make_results()}}), text);
}

TEST(Readme, BrokenMarkersAreErrors) {
  const std::string end = "\n<!-- end results -->\n";
  const std::pair<std::string, const char*> broken[] = {
      {"<!-- results ch1_x gpu -->\nno end\n", "no <!-- end results -->"},
      {"<!-- results ch1_x -->\n", "write <!-- results LESSON MACHINE -->"},
      {"<!-- results a b c -->" + end, "write <!-- results LESSON MACHINE -->"},
      {"<!-- result ch1_x gpu -->" + end, "before this"},
      {"<!-- results ch1_x gpv -->" + end, "there is no common/results/gpv.json"},
      {"<!-- results ch1 gpu -->" + end, "gpu.json has no case of ch1:"},  // no folder of that name
      {"<!-- sweep ch1_x/01_sum n gpu -->" + end, "gpu.json has no sweep of n of ch1_x/01_sum:"}};
  for (const auto& [text, why] : broken) {
    try {
      with_tables(text, "README.md", {{"gpu", make_results()}});
      ADD_FAILURE() << text;
    } catch (const Failure& e) {
      EXPECT_EQ(e.code, 5);
      EXPECT_TRUE(std::string(e.what()).starts_with("README.md:")) << e.what();
      EXPECT_TRUE(has(e.what(), why)) << e.what();
    }
  }
}

// The tables in this repository. Fails when results or a README were changed by hand.
TEST(Readme, RepositoryMatchesItsStoredResults) {
  const std::filesystem::path source = WB_SOURCE_DIR;
  std::map<std::string, Results> machines;
  for (const auto& entry : std::filesystem::directory_iterator(source / "common/results"))
    if (entry.path().extension() == ".json")
      machines[entry.path().stem().string()] = load_results(entry.path().string());
  const auto files = readmes(source);
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    const std::string text = read_file(file.string());
    EXPECT_TRUE(with_tables(text, std::filesystem::relative(file, source), machines) ==
                text)  // neither is worth printing
        << file << " differs from common/results: ./workbook report --markdown writes its tables";
  }
}

}  // namespace
}  // namespace wb
