// Tables in README files and results pages come from stored results, and one that differs is found.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/failure.h"
#include "base/files.h"
#include "failure_of.h"
#include "has.h"
#include "pages/pages.h"
#include "report/measured.h"
#include "report_rows.h"

namespace wb::pages {
namespace {

const std::string kReadme =
    "# Sum\n<!-- results ch1_x/01_sum gpu -->\nstale\n<!-- end results -->\nThe end.\n";

TEST(Readme, TableComesFromTheResults) {
  const std::string text =
      with_tables(kReadme, "ch1_x/01_sum/README.md", {{"gpu", make_results()}});
  EXPECT_TRUE(text.starts_with("# Sum\n<!-- results ch1_x/01_sum gpu -->\n\n| version | time |"));
  EXPECT_TRUE(text.ends_with("<!-- end results -->\nThe end.\n"));
  EXPECT_FALSE(has(text, "stale"));
  EXPECT_TRUE(has(text, "| optimized | 100 us | 10.0x | 50.0% |\n"));
  EXPECT_TRUE(has(text,
                  "\nn=1. Measured 2026-01-02. "
                  "[All cases](../../common/results/gpu_ch1.md#01_sum)\n"));
  EXPECT_FALSE(has(text, "02_gemm"));
  EXPECT_EQ(with_tables(text, "ch1_x/01_sum/README.md", {{"gpu", make_results()}}), text)
      << "not stable";
}

TEST(Screen, StoredResultsFitOnIt) {
  for (const auto& [machine, results] : stored_results(WB_SOURCE_DIR)) {
    report::Document all = report::measured(results, {.screen = true});
    all.push_back(report::summary_table(results, report::Called::by_title));
    for (const std::size_t width : {80, 120}) {
      std::istringstream text(report::as_text(all, {width, width}));
      for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), width) << line;
    }
  }
}

// Two sizes, two types, a variant that can't run, and a solution.
Results make_cases() {
  Results results = make_results();
  results.rows.clear();
  double seconds = 1e-3;
  for (const auto& [rows, dtype] :
       {std::pair{256, "fp32"}, {512, "bf16"}, {512, "fp32"}, {512, "fp16"}}) {
    for (const char* variant : {"baseline", "step1_a", "optimized", "solution", "jax_pallas"}) {
      Row row = make_row("ch1_x/01_sum", variant, seconds /= 1.1, {.flops = 2e8, .read = 2e8});
      row.axes = {{"dtype", dtype}, {"rows", rows}};
      if (row.variant == "step1_a") row.status = Status::skipped, row.reason = "needs more";
      if (row.variant == "jax_pallas") row.peer = "Pallas";
      results.rows.push_back(row);
    }
  }
  return results;
}

std::string table(const std::string& options, const Results& results = make_cases()) {
  const std::string begin = "<!-- results ch1_x/01_sum gpu" + options + " -->\n";
  const std::string text =
      with_tables(begin + "<!-- end results -->\n", "README.md", {{"gpu", results}});
  return text.substr(begin.size() + 1, text.find("<!-- end") - begin.size() - 2);
}

TEST(Readme, AMarkerChoosesTheCase) {
  EXPECT_TRUE(has(table(""), "\nfp32, 256 rows. Measured "));
  EXPECT_TRUE(has(table(" rows=512"), "\nbf16, 512 rows. Measured "));
  EXPECT_TRUE(has(table(" rows=512 dtype=fp16"), "\nfp16, 512 rows. Measured "));
  for (const char* hidden : {"step1_a", "solution", "skipped", "needs more"})
    EXPECT_FALSE(has(table(""), hidden)) << hidden;
}

TEST(Readme, AMarkerPutsTypesSideBySide) {
  const std::string text = table(" dtype=fp32,bf16 columns=time,roof");
  EXPECT_TRUE(text.starts_with("| version | fp32 | % of roof | bf16 | % of roof |\n|---|---:|"))
      << text;
  EXPECT_TRUE(has(text, "| Pallas | "));
  // fp32 comes first at 256 rows, which bf16 has not.
  EXPECT_TRUE(has(text, "\n512 rows. Measured "));
  EXPECT_TRUE(has(table(" dtype=fp16,bf16,fp32 columns=roof"),
                  "| version | fp16, % of roof | bf16, % of roof | fp32, % of roof |"));
  // No two cases differ in this alone: the first of each. A bare number would say nothing.
  const std::string rows = table(" rows=256,512 dtype=fp32 columns=time");
  EXPECT_TRUE(rows.starts_with("| version | 256 rows | 512 rows |\n")) << rows;
  EXPECT_TRUE(has(rows, "\nfp32. Measured "));
  Results other = make_cases();
  std::erase_if(other.rows, [](const Row& r) {
    return r.axes == Case{{"dtype", "fp32"}, {"rows", 512}};
  });
  EXPECT_TRUE(has(table(" dtype=fp32,bf16 columns=time", other),
                  "| version | fp32, 256 rows | bf16, 512 rows |"));
}

TEST(Readme, AMarkerChoosesColumns) {
  EXPECT_TRUE(table(" columns=time,gbs,peer").starts_with("| version | time | GB/s | vs Pallas |"))
      << table(" columns=time,gbs,peer");
  // What is the same in each row is said below.
  const std::string text = table(" columns=time,intensity,bound");
  EXPECT_TRUE(text.starts_with("| version | time |\n")) << text;
  EXPECT_TRUE(has(text, "\nEach row: FLOP/B 1, nearest ceiling memory.\nfp32, 256 rows. "));
}

TEST(Readme, AMarkerLeavesOutVariants) {
  EXPECT_TRUE(has(table(""), "| optimized | "));
  EXPECT_FALSE(has(table(" without=optimized"), "| optimized | "));
  EXPECT_TRUE(has(table(" without=optimized"), "| baseline | "));
}

TEST(Readme, SpeedupsShowTheirIntervalWhereTheVerdictIsNotClear) {
  Results results = make_cases();
  for (int i = 0; i < 9; ++i)
    results.rows[2].samples[i] = results.rows[0].samples[i] * (i < 5 ? 0.9 : 1.3);
  EXPECT_TRUE(has(table("", results), "] ambiguous |"));
  EXPECT_FALSE(has(table(""),
                   "["
                   "1"));
}

TEST(Readme, AWrongRowShowsNoSpeed) {
  Results results = make_cases();
  results.rows[2].status = Status::wrong, results.rows[2].samples.clear();
  EXPECT_TRUE(has(table("", results), "| optimized | WRONG | WRONG | WRONG |"));
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
  EXPECT_TRUE(has(text(), "Measured on Test GPU, 2026-01-02, with"));
  results.rows[3].date = "2026-01-05";
  EXPECT_TRUE(has(text(), "Measured on Test GPU, 2026-01-02 to 2026-01-05, with"));
  const std::string own = "<!-- results ch1_x/02_gemm/small gpu -->\n<!-- end results -->\n";
  EXPECT_TRUE(has(with_tables(own, "README.md", {{"gpu", results}}),
                  "Measured 2026-01-02 to 2026-01-05. "));
}

TEST(Readme, ChapterGivesASummary) {
  const std::string marker = "<!-- results ch1_x gpu -->\n<!-- end results -->\n";
  const std::string text = with_tables(marker, "README.md", {{"gpu", make_results()}});
  EXPECT_TRUE(has(text, "| ch1_x/01_sum | n=1 | 1.00 ms | 100 us |"));
  EXPECT_TRUE(has(text, "| ch1_x/02_gemm/small | n=1 | 2.00 ms | WRONG |"));
}

TEST(Readme, TheTopGreetsWithQuestions) {
  Results results = make_results();
  results.rows[3] = make_row("ch1_x/02_gemm/small", "optimized", 1e-3);
  results.about["ch1_x/01_sum"] = {"Sum", "how fast?", "ch1_x/01_sum/README.md", {"{n} number"}};
  const auto text = [&](const std::string& lessons) {
    return with_tables("<!-- results all gpu lessons=" + lessons + " -->\n<!-- end results -->\n",
                       "README.md", {{"gpu", results}});
  };
  EXPECT_TRUE(has(text("sum"), "| lesson | question | case | baseline | optimized | speedup |\n"));
  EXPECT_TRUE(has(text("sum"),
                  "| [Sum](ch1_x/01_sum/README.md) | how fast? | 1 number | 1.00 ms | "
                  "100 us | 10.0x |\n"));
  EXPECT_FALSE(has(text("sum"), "gemm"));
  EXPECT_TRUE(has(text("small,sum"), "| ch1_x/02_gemm/small |  | n=1 | 2.00 ms |"))
      << text("small");
  EXPECT_THROW(text("sum,um"), Failure);
}

TEST(Readme, ASweepCanBeAPictureAlone) {
  Results results = make_results();
  results.rows[0].sweep = "n";
  const auto text = [&](const std::string& options) {
    const std::string marker = "<!-- sweep ch1_x/01_sum n gpu" + options + " -->\n";
    return with_tables(marker + "<!-- end results -->\n", "ch1_x/README.md", {{"gpu", results}})
        .substr(marker.size());
  };
  EXPECT_EQ(text(" table=no"),
            "\n![ch1_x/01_sum by n](../common/results/gpu_01_sum_n.svg)\n\nMeasured 2026-01-02. "
            "[All points](../common/results/gpu_ch1.md#01_sum)\n\n<!-- end results -->\n");
  EXPECT_TRUE(has(text(""), "_n.svg)\n\n| n | baseline | % of roof |\n"));
}

TEST(Readme, ResultsPagesHaveEveryCaseAndSweep) {
  Results results = make_cases();
  results.about["ch1_x/01_sum"] = {"Sum", "how fast?", "ch1_x/01_sum/README.md", {}};
  Row point = make_row("ch1_x/01_sum", "baseline", 1e-3);
  point.sweep = "n";
  results.rows.push_back(point);
  results.rows.push_back(make_row("ch2_y/01_other", "baseline", 1e-3));
  const std::string page = report::as_markdown(results_page(results, "ch1_x", "gpu"));
  EXPECT_TRUE(page.starts_with("# ch1_x on Test GPU\n")) << page;
  for (const char* part :
       {"\n## 01_sum\n\n[Sum](../../ch1_x/01_sum/README.md): how fast?\n", "**fp32, 256 rows**",
        "**bf16, 512 rows**", "| solution |", "needs more",
        "\n\nEach row: FLOP/B 1, nearest ceiling memory.\n",
        "\n### 01_sum by n\n\n![ch1_x/01_sum by n](gpu_01_sum_n.svg)\n", "] faster |",
        "`./workbook compare ch1_x/01_sum --backend=cuda --peer jax`"})
    EXPECT_TRUE(has(page, part));
  EXPECT_FALSE(has(page, "02_other"));
  EXPECT_EQ(page_link("ch1_x/02_gemm/small", "gpu"), "gpu_ch1.md#02_gemm_small");
}

TEST(Readme, TablesThatAgreeStandOnce) {
  Results results = make_cases();
  const auto page = [&] { return report::as_markdown(results_page(results, "ch1_x", "gpu")); };
  EXPECT_FALSE(has(page(), "agree"));
  for (int i = 0; i < 5; ++i) results.rows[10 + i].samples = results.rows[5 + i].samples;
  for (double& sample : results.rows[12].samples) sample *= 1.019;
  EXPECT_TRUE(has(page(), "**bf16, 512 rows; fp32, 512 rows**\n\nThe rows of these cases agree"));
  const Results agreed = results;
  for (double& sample : results.rows[12].samples) sample *= 1.002;
  EXPECT_FALSE(has(page(), "agree")) << "2.1 %";
  results = agreed;
  results.rows[14].cost.flops *= 2;
  EXPECT_FALSE(has(page(), "agree")) << "other FLOP/s";
  results = agreed;
  results.rows[13].note = "hot";
  EXPECT_FALSE(has(page(), "agree")) << "another note";
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
      {"<!-- results ch1_x/01_sum gpu n -->" + end, "perhaps with NAME=VALUE"},
      {"<!-- results ch1_x/01_sum gpu n= -->" + end, "perhaps with NAME=VALUE"},
      {"<!-- results ch1_x/01_sum gpu n=2 -->" + end, "no case has these values"},
      {"<!-- results ch1_x/01_sum gpu n=1,2 -->" + end, "not every value of n has a case"},
      {"<!-- results ch1_x/01_sum gpu columns=speed -->" + end, "no column is called speed"},
      {"<!-- results ch1_x/01_sum gpu without=none -->" + end, "no variant is called none"},
      {"<!-- results ch1_x/01_sum gpu columns=host -->" + end, "nothing of the case has a host"},
      {"<!-- results ch1_x gpu n=1 -->" + end, "a summary can have lessons=NAME,NAME alone"},
      {"<!-- sweep ch1_x/01_sum n gpu table=yes -->" + end, "a sweep can have table=no alone"},
      {"<!-- results ch1 gpu -->" + end, "gpu.json has no case of ch1:"},  // no folder of that name
      {"<!-- sweep ch1_x/01_sum n gpu -->" + end, "gpu.json has no sweep of n of ch1_x/01_sum:"}};
  for (const auto& [text, why] : broken) {
    const auto [code, line] = failure_of([&] {
      with_tables(text, "README.md", {{"gpu", make_results()}});
    });
    EXPECT_EQ(code, 5) << text;
    EXPECT_TRUE(line.starts_with("README.md:")) << line;
    EXPECT_TRUE(has(line, why));
  }
}

// The tables in this repository. Fails when results or a page were changed by hand.
TEST(Readme, RepositoryMatchesItsStoredResults) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "it is about files, which other builds look at";
#endif
  const std::filesystem::path source = WB_SOURCE_DIR;
  const auto texts = all_pages(source, stored_results(source));
  ASSERT_FALSE(texts.empty());
  for (const auto& [name, text] : texts)
    EXPECT_TRUE(std::filesystem::exists(source / name) &&
                read_file((source / name).string()) == text)  // neither is worth printing
        << name << " differs from common/results: ./workbook report --markdown writes it";
}

}  // namespace
}  // namespace wb::pages
