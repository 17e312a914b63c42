#include "report/plot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <regex>

#include "base/files.h"
#include "failure_of.h"
#include "has.h"
#include "report/measured.h"
#include "report_rows.h"

namespace wb::report {
namespace {

TEST(Roofline, DrawsLessonsAndRoofs) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  results.rows[2].lesson = results.rows[3].lesson = "ch1_x/02_it's";
  results.rows[3] = results.rows[2];
  results.rows[3].variant = "optimized";
  const std::string drawn = roofline(results, "cuda", Picture::terminal, 80);
  EXPECT_TRUE(has(drawn, "memory 4.00 TB/s, fp32 40.0 TFLOP/s, ridge 10 FLOP/B"));
  EXPECT_TRUE(has(drawn, "1  01_sum: 5.0% -> 50.0% of roof"));
  EXPECT_TRUE(has(drawn, "2  02_it's: 2.5% -> 2.5% of roof"));
  const std::string svg = roofline(results, "cuda", Picture::svg);
  EXPECT_TRUE(has(svg, "<svg") && has(svg, "</svg>"));
  EXPECT_TRUE(has(svg, "01_sum") && has(svg, "Test GPU"));
  EXPECT_TRUE(roofline(results, "cuda", Picture::png).starts_with("\x89PNG"));
}

TEST(Roofline, HasAPlaceForRowsWithoutFlopsAndForTheLink) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  for (Row& row : results.rows) row.cost.flops = 0;
  EXPECT_TRUE(has(roofline(results, "cuda", Picture::terminal), "no floating-point work"));
  EXPECT_TRUE(has(roofline(results, "cuda", Picture::svg), "01_sum"));
  for (Row& row : results.rows) row.cost = {.flops = 1e8, .read = 1, .to_device = 1e6};
  EXPECT_TRUE(has(roofline(results, "cuda", Picture::terminal), "host link 50.0 GB/s"));
  results.ceilings[0].values["bf16_tensor"] = 400e12;
  for (Row& row : results.rows) row.cost = {.flops = 1e9, .read = 1e6, .math = Math::bf16_tensor};
  EXPECT_TRUE(has(roofline(results, "cuda", Picture::svg), "bf16 tensor 400 TFLOP/s"));
}

TEST(Roofline, OfOneVariantHasNoArrow) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  results.rows.resize(2);
  EXPECT_TRUE(has(roofline(results, "cuda", Picture::terminal), " -> "));
  results.rows.resize(1);
  const std::string drawn = roofline(results, "cuda", Picture::terminal);
  EXPECT_FALSE(has(drawn, "->")) << drawn;
  EXPECT_TRUE(has(drawn, "% of roof\n")) << drawn;
}

TEST(Roofline, HasTheLevelsOfMemoryThatWereCounted) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  const std::string without = roofline(results, "cuda", Picture::svg);
  EXPECT_FALSE(has(without, "by L2's bytes"));
  results.rows[1].hardware.events = {
      {Hardware::dram_read, 4e8}, {Hardware::dram_written, 0}, {Hardware::l2_bytes, 8e8}};
  const std::string svg = roofline(results, "cuda", Picture::svg);
  EXPECT_TRUE(has(svg, "by DRAM's bytes"));
  EXPECT_TRUE(has(roofline(results, "cuda", Picture::terminal), "D: by DRAM's bytes, L: by L2's"));
  results.rows[1].hardware.events.erase(Hardware::dram_written);  // so DRAM's sum is not known
  results.rows[1].hardware.events.erase(Hardware::l2_bytes);
  EXPECT_EQ(roofline(results, "cuda", Picture::svg), without);
}

TEST(Roofline, OfALessonHasBothEndsAtEachLevel) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  results.rows.resize(2);
  for (Row& row : results.rows)
    row.hardware.events = {
        {Hardware::dram_read, 4e8}, {Hardware::dram_written, 0}, {Hardware::l2_bytes, 8e8}};
  const auto marks = [&] {
    const std::string drawn = roofline(results, "cuda", Picture::terminal, 100);
    return std::pair{std::ranges::count(drawn, 'L'), roofline(results, "cuda", Picture::svg)};
  };
  const auto [both, svg] = marks();
  EXPECT_TRUE(has(svg, "by L2's bytes"));
  results.rows[0].hardware.events.clear();
  EXPECT_EQ(marks().first, both - 1);
}

TEST(Roofline, OfManyLessonsHasNoLevels) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  std::vector<Row> pair(results.rows.begin(), results.rows.begin() + 2);
  pair[1].hardware.events = {{Hardware::l2_bytes, 8e8}};
  results.rows.clear();
  const auto of_lessons = [&](int count) {
    for (int i = static_cast<int>(results.rows.size()) / 2; i < count; ++i)
      for (Row row : pair) {
        row.lesson = fmt::format("ch1_x/{}", 101 + i);
        results.rows.push_back(row);
      }
    return has(roofline(results, "cuda", Picture::svg), "by L2's bytes");
  };
  EXPECT_TRUE(of_lessons(12));
  EXPECT_FALSE(of_lessons(13));
}

TEST(Roofline, APageHasThatOfALessonWhoseMemoryWasCounted) {
  Results results = make_results();
  const auto names = [&](const std::string& machine) {
    std::vector<std::string> files;
    for (const Figure& figure : figures(results, machine)) files.push_back(figure.file);
    return files;
  };
  const std::string file = "gpu_" + anchor(results.rows[1].lesson) + "_levels.svg";
  const Page page{.machine = "gpu"};
  EXPECT_FALSE(has(as_markdown(measured(results, page)), file));
  EXPECT_EQ(std::ranges::count(names("gpu"), file), 0);
  results.rows[1].hardware.events = {{Hardware::l2_bytes, 8e8}};
  EXPECT_TRUE(has(as_markdown(measured(results, page)), "](" + file + ")"));
  EXPECT_EQ(std::ranges::count(names("gpu"), file), 1);
  for (const std::string& other : names("")) EXPECT_FALSE(has(other, "levels"));
}

// Where a number stands in an SVG by gnuplot; nan where it is not there.
double place_of(const std::string& svg, const std::string& number) {
  std::smatch at;
  const std::regex text("translate\\(([0-9.]+),[^>]*>\\s*<text>" + number + "</text>");
  return std::regex_search(svg, at, text) ? std::stod(at[1]) : NAN;
}

TEST(Roofline, EachPointHasItsNumberAndThoseThatShareAPlaceShareAText) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_results();
  const std::vector<Row> pair(results.rows.begin(), results.rows.begin() + 2);
  results.rows.clear();
  for (const double factor : {1, 1, 1, 4, 1, 2})
    for (Row row : pair) {
      row.lesson = fmt::format("ch1_x/{}", 101 + results.rows.size() / 2);
      row.cost.flops *= factor;
      results.rows.push_back(row);
    }
  const auto svg = roofline(results, "cuda", Picture::svg);
  EXPECT_LT(place_of(svg, "1-3,5"), place_of(svg, "6"));
  EXPECT_LT(place_of(svg, "6"), place_of(svg, "4"));
}

TEST(Roofline, ANameIsNoCommand) {
  WB_SKIP_WITHOUT_GNUPLOT();
  const Scratch place;
  const std::string command = "system('touch " + place.file("obeyed") + "')";
  Results results = make_results();
  for (Row& row : results.rows) row.lesson += "\nEOD\n" + command + "\n\" `" + command + "`\n";
  results.ceilings[0].device.name = "'\n" + command + "\n'";
  try {
    roofline(results, "cuda", Picture::svg);
  } catch (const std::exception&) {  // it need not draw this
  }
  EXPECT_FALSE(std::filesystem::exists(place.file("obeyed")));
}

TEST(Roofline, IsEmptyWithoutRowsOrCeilings) {
  Results results = make_results();
  EXPECT_EQ(roofline(results, "cpu", Picture::terminal), "");
  results.ceilings[0].values.clear();
  EXPECT_EQ(roofline(results, "cuda", Picture::terminal), "");
  results = make_results();
  results.rows.clear();
  EXPECT_EQ(roofline(results, "cuda", Picture::terminal), "");
}

TEST(Roofline, SaysWhatToInstall) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const auto [code, line] = failure_of([] { roofline(make_results(), "cuda", Picture::svg); });
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(code, 2);
  EXPECT_TRUE(has(line, "apt-get install gnuplot-nox"));
}

// What is said of a gnuplot that does no more than this.
std::string with_gnuplot(const std::string& script, const std::function<void()>& draw) {
  const Scratch tools;
  write_atomically(tools.file("gnuplot"), "#!/bin/sh\n" + script + "\n");
  ::chmod(tools.file("gnuplot").c_str(), 0755);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (tools.file("") + ":" + path).c_str(), 1);
  std::string said = "nothing";
  try {
    draw();
  } catch (const std::runtime_error& e) {
    said = e.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  return said;
}

TEST(Gnuplot, IsStoppedWhenItHangs) {
  EXPECT_EQ(with_gnuplot("sleep 100", [] { run_gnuplot("", 0.2); }),
            "gnuplot failed: it drew for more than 0.2 s and was stopped");
}

TEST(Gnuplot, IsStoppedWhenItDrawsWithoutEnd) {
  EXPECT_EQ(with_gnuplot("while :; do head -c 100000000 /dev/zero; done", [] { run_gnuplot(""); }),
            "gnuplot failed: it drew more than 64 MiB and was stopped");
}

TEST(Gnuplot, ThatDrawsNothingIsTold) {
  for (const Picture picture : {Picture::terminal, Picture::svg, Picture::png})
    EXPECT_TRUE(has(with_gnuplot("[ \"$1\" = --version ] || echo",
                                 [&] { roofline(make_results(), "cuda", picture); }),
                    "gnuplot failed: it drew nothing"));
}

TEST(Gnuplot, TextMayHoldAnything) {
  WB_SKIP_WITHOUT_GNUPLOT();
  EXPECT_EQ(gnuplot_text("it's\n`date` $x"), "'it''s `date` $x'");
  EXPECT_EQ(run_gnuplot("set print '-'; print " + gnuplot_text("it's \\ `date`")),
            "it's \\ `date`\n");
}

}  // namespace
}  // namespace wb::report
