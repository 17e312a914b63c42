// How people call cases, and how numbers are printed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "model/case_name.h"
#include "model/case_text.h"
#include "pages/pages.h"
#include "report/about.h"
#include "report/table.h"
#include "report_rows.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

TEST(Numbers, AreSaidInUnitsWhereAFewOfThemAreTheWhole) {
  const std::pair<i64, const char*> numbers[] = {{0, "0"},
                                                 {7, "7"},
                                                 {1024, "1024"},
                                                 {8192, "8192"},
                                                 {32768, "32768"},
                                                 {65535, "65535"},
                                                 {65536, "64 Ki"},
                                                 {65537, "65,537"},
                                                 {100'003, "100,003"},
                                                 {3 << 17, "384 Ki"},
                                                 {1 << 20, "1 Mi"},
                                                 {2 << 20, "2 Mi"},
                                                 {(1 << 20) + 1024, "1025 Ki"},
                                                 {1'000'000, "1,000,000"},
                                                 {i64{3} << 29, "1536 Mi"},
                                                 {i64{1} << 40, "1024 Gi"},
                                                 {1'234'567'891'234, "1,234,567,891,234"},
                                                 {-5, "-5"},
                                                 {-123'456, "-123456"}};
  for (const auto& [number, text] : numbers) EXPECT_EQ(format_number(number), text);
}

TEST(Names, ComeFromTheAxes) {
  EXPECT_EQ(case_name({{"points", 4096}, {"steps", 200}}), "4096 points, 200 steps");
  EXPECT_EQ(case_name({{"steps", 1}, {"batch", 1}, {"particles", 1 << 24}}),
            "1 step, batch 1, 16 Mi particles");
  EXPECT_EQ(case_name({{"size", "xlarge"}, {"op", "leaky_relu"}, {"usual_batch", 32}}),
            "leaky_relu, usual batch 32");
  EXPECT_EQ(case_name({{"n", 7}, {"axes", "0,2"}}), "n=7, axes 0,2");
  EXPECT_EQ(case_name({{"bytes", 1 << 28}}), "256 MiB");
  EXPECT_EQ(case_name({{"bytes", 4097}}), "4097 B");
  EXPECT_EQ(case_name({}), "empty");
  EXPECT_EQ(case_name({{"size", "small"}}), "small") << "there is nothing else to say";
}

TEST(Names, ComeFromTheFirstPatternThatFits) {
  const std::vector<std::string> chunks = {"{samples/chunk} chunks of {chunk} samples"};
  EXPECT_EQ(case_name({{"samples", 1 << 27}, {"chunk", 1 << 21}}, chunks),
            "64 chunks of 2 Mi samples");
  EXPECT_EQ(case_name({{"samples", 64}, {"chunk", 64}}, chunks), "1 chunk of 64 samples");
  EXPECT_EQ(case_name({{"samples", 65}, {"chunk", 64}}, chunks), "65 samples, chunk 64");
  EXPECT_EQ(case_name({{"samples", 64}, {"chunk", 0}}, chunks), "64 samples, chunk 0");
  EXPECT_EQ(case_name({{"samples", 64}, {"chunk", "all"}}, chunks), "64 samples, all");

  const std::vector<std::string> arrays = {"{batch} x {rows} x {columns}, {dtype}",
                                           "{rows} x {columns}, {dtype}"};
  EXPECT_EQ(
      case_name({{"size", "xlarge"}, {"dtype", "fp32"}, {"rows", 8192}, {"columns", 8192}}, arrays),
      "8192 x 8192, fp32");
  EXPECT_EQ(case_name({{"dtype", "fp32"}, {"batch", 64}, {"rows", 512}, {"columns", 1}}, arrays),
            "64 x 512 x 1, fp32");
  EXPECT_EQ(case_name({{"m", 64}, {"n", 64}, {"k", 64}, {"batch", 40}},
                      {"batch {batch} of {m} x {n} x {k}"}),
            "batch 40 of 64 x 64 x 64");
}

TEST(Names, SayEveryAxisThatTheirPatternLeavesOut) {
  EXPECT_EQ(
      case_name({{"rows", 3}, {"columns", 5}, {"calls", 1}, {"late", 7}}, {"{rows} x {columns}"}),
      "3 x 5, 1 call, late 7");
}

TEST(Names, OfBrokenPatternsDoNoHarm) {
  EXPECT_EQ(case_name({{"rows", 3}}, {"{rows"}), "{rows, 3 rows");
  EXPECT_EQ(case_name({{"rows", 3}}, {"{}", "{/}", "{rows/}"}), "3 rows");
}

TEST(About, IsWhatTheFolderSays) {
  const Scratch scratch;
  const fs::path top = scratch.file("");
  fs::create_directories(top / "ch1_x/01_sum/part");
  std::ofstream(top / "ch1_x/01_sum/README.md")
      << "text\n# 01 Sum: is it fast?\n# Other: one\n"
         "**Before this:** none. **Takes:** 60 min, easy.\n\n## More\n\n**Takes:** 5 min, hard.\n";
  std::ofstream(top / "ch1_x/01_sum/part/sum.h")
      << "  static constexpr const char* case_names[] = {\n      \"{n} parts\",\n      "
         "\"all\"};\n\"no\"";
  const About about = report::about_lesson(top, "ch1_x/01_sum/part");
  EXPECT_EQ(about.title, "Sum");
  EXPECT_EQ(about.question, "is it fast?");
  EXPECT_EQ(about.takes, "60 min, easy");
  EXPECT_EQ(about.page, "ch1_x/01_sum/README.md");
  EXPECT_EQ(about.case_names, (std::vector<std::string>{"{n} parts", "all"}));
  for (const char* nowhere :
       {"", "/", "..", "../ch1_x/01_sum", "ch1_x", "ch9/none", "/ch1_x/01_sum"})
    EXPECT_EQ(report::about_lesson(top, nowhere).title, "") << nowhere;
}

// What one program writes another reads, whatever stands in a word.
TEST(CaseText, IsReadAsItWasWritten) {
  const Case c = {{"rows", 8192}, {"axes", "0,2"}, {"dtype", "fp32"}, {"n", -1}};
  EXPECT_EQ(text_of(c), "rows=8192,axes=0,2,dtype=fp32,n=-1");
  EXPECT_EQ(read_case(text_of(c)), c);
  EXPECT_STREQ(case_from(as_json(c)).word("axes"), "0,2");
  EXPECT_EQ(read_case(""), Case{});
  EXPECT_EQ(axes_in("a=1,b=x,y,c=3"), (std::vector<std::string>{"a=1", "b=x,y", "c=3"}));
  EXPECT_EQ(read_axis("axes=0"), Axis("axes", 0));
  EXPECT_EQ(read_axis("axes=0", /*word=*/true), Axis("axes", "0"));
  EXPECT_EQ(read_axis("n=99999999999999999999"), Axis("n", "99999999999999999999"));
  for (const char* bad : {"=1", "rows", ",rows=1", "1"})
    EXPECT_THROW(read_case(bad), std::runtime_error) << bad;
}

// Names are read in a header's text, whichever of the folder has them.
TEST(About, OneHeaderOfAFolderNamesItsCases) {
  std::map<std::filesystem::path, int> headers;
  for (const auto& chapter : std::filesystem::directory_iterator(WB_SOURCE_DIR))
    if (chapter.is_directory() && chapter.path().filename().string().starts_with("ch"))
      for (const auto& entry : std::filesystem::recursive_directory_iterator(chapter.path()))
        if (entry.path().extension() == ".h" &&
            read_file(entry.path().string()).find(" case_names[] = {") != std::string::npos)
          ++headers[entry.path().parent_path()];
  EXPECT_FALSE(headers.empty());
  for (const auto& [folder, count] : headers) EXPECT_EQ(count, 1) << folder;
}

// In this repository every stored case of a lesson has a name of its own, which people could say.
TEST(About, StoredCasesHaveNamesThatDiffer) {
  for (const auto& [machine, results] : pages::stored_results(WB_SOURCE_DIR)) {
    std::set<std::string> names;
    for (const report::SideBySide& c : report::side_by_side(results)) {
      const std::string name = results.name_of(c.first());
      EXPECT_TRUE(names.insert(c.first().lesson + " " + name).second)
          << machine << ": " << c.first().lesson << ": " << name;
      EXPECT_EQ(name.find_first_of("={}"), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace wb
