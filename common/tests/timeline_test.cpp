#include "report/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "has.h"

namespace wb::report {
namespace {

// One iteration of 10 ms: 4 ms in, 2 ms of compute, 4 ms out, and the host that waits for it all.
TracedRow serial() {
  TracedRow row{"lesson/baseline <cuda>", {}};
  row.trace.wall = 10e-3;
  row.trace.iterations = 1;
  row.trace.intervals = {{0, 4e-3, Activity::to_device, "copy in", 7},
                         {4e-3, 6e-3, Activity::compute, "kernel<float>", 7},
                         {6e-3, 10e-3, Activity::to_host, "copy out", 7},
                         {0, 10e-3, Activity::wait, "", 0}};
  return row;
}

std::string lane(const std::string& drawing, const std::string& name) {
  std::istringstream lines(drawing);
  for (std::string line; std::getline(lines, line);)
    if (line.find(name + " |") != std::string::npos) return line.substr(line.find('|'));
  return "";
}

TEST(Timeline, DrawsEachLaneWhereItWasBusy) {
  const std::string drawing = draw_timeline(serial(), 33, false);  // 20 columns of 0.5 ms
  EXPECT_EQ(lane(drawing, "to device"), "|########            |") << drawing;
  EXPECT_EQ(lane(drawing, "compute"), "|        ####        |") << drawing;
  EXPECT_EQ(lane(drawing, "to host"), "|            ########|") << drawing;
  EXPECT_EQ(lane(drawing, "host"), "|....................|") << drawing;
  EXPECT_EQ(lane(drawing, "copy"), "") << "a lane without records";
  EXPECT_TRUE(has(drawing, "compute 20.0%  copies 80.0%"));
  EXPECT_FALSE(has(drawing, "\033"));
  EXPECT_TRUE(has(draw_timeline(serial(), 33, true), "\033"));
}

TEST(Timeline, ATitleThatIsTooLongIsBrokenBeforeItsCase) {
  TracedRow row = serial();
  row.title = "chapter/lesson/optimized/cpu/samples=8388608,chunk=131072";
  EXPECT_TRUE(draw_timeline(row, 33, false)
                  .starts_with("chapter/lesson/optimized/cpu/\n  samples=8388608,chunk=131072\n"));
  EXPECT_TRUE(draw_timeline(row, 80, false).starts_with(row.title + "\n"));
}

TEST(Timeline, SaysWhatItsMarksMean) {
  const std::string legend = timeline_legend({serial()});
  EXPECT_TRUE(has(legend, "# and + take turns"));
  EXPECT_TRUE(has(legend, "; . wait"));
  EXPECT_FALSE(has(legend, "; l ")) << "nothing was launched: ";
  EXPECT_TRUE(
      has(timeline_svg({serial()}), ">" + std::string(name(Activity::to_host)) + "</text>"));
}

TracedRow two_ranks() {
  TracedRow row = serial();
  row.trace.intervals = {{0, 4e-3, Activity::compute, "kernel", 0, 0},
                         {4e-3, 6e-3, Activity::copy, "ncclKernel", 1, 0},
                         {0, 10e-3, Activity::compute, "kernel", 0, 1}};
  return row;
}

TEST(Timeline, EachRankHasLanesOfItsOwn) {
  const std::string drawing = draw_timeline(two_ranks(), 36, false);
  EXPECT_EQ(lane(drawing, "compute 0"), "|########            |") << drawing;
  EXPECT_EQ(lane(drawing, "copy 0"), "|        ####        |") << drawing;
  EXPECT_EQ(lane(drawing, "compute 1"), "|####################|") << drawing;
  EXPECT_EQ(lane(drawing, "copy 1"), "") << "a lane without records";
  EXPECT_TRUE(has(timeline_svg({two_ranks()}), ">compute 1</text>"));
}

TEST(Timeline, ShowsTheMiddleOfALongPass) {
  TracedRow row = serial();
  const std::vector<Interval> one = row.trace.intervals;
  row.trace.iterations = 9;
  row.trace.wall = 90e-3;
  row.trace.intervals.clear();
  for (int i = 0; i < 9; ++i)
    for (Interval interval : one)
      for (int part = 0; part < 2; ++part)  // eight records an iteration: one iteration is drawn
        if (const double half = (interval.end - interval.start) / 2; half > 0) {
          const double start = i * 10e-3 + interval.start + part * half;
          row.trace.intervals.push_back({start, start + half, interval.activity, "", 0});
        }
  const std::string drawing = draw_timeline(row, 33, false);
  EXPECT_EQ(lane(drawing, "compute"), "|        ##++        |") << drawing;
  EXPECT_TRUE(has(drawing, "1 of 9 traced iterations"));
}

TEST(Timeline, SaysWhyThereIsNone) {
  EXPECT_TRUE(has(draw_timeline({"row", {}}, 80, false), "nothing was traced"));
  TracedRow row{"row", {}};
  row.trace.missing = "CUPTI is not there";
  EXPECT_TRUE(has(draw_timeline(row, 80, false), "CUPTI is not there"));
  EXPECT_TRUE(has(timeline_svg({row}), "CUPTI is not there"));
}

TEST(Timeline, SvgEscapesNames) {
  const std::string svg = timeline_svg({serial()});
  EXPECT_TRUE(has(svg, "kernel&lt;float&gt;, 2.00 ms"));
  EXPECT_TRUE(has(svg, "lesson/baseline &lt;cuda&gt;"));
  EXPECT_FALSE(has(svg, "kernel<float>"));
}

TEST(ChromeTrace, RoundTrip) {
  TracedRow other{"second", {}};
  other.trace.missing = "no CUPTI";
  const std::vector<TracedRow> back = read_chrome_trace(chrome_trace({serial(), other}));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].title, serial().title);
  EXPECT_EQ(draw_timeline(back[0], 90, false), draw_timeline(serial(), 90, false));
  EXPECT_EQ(back[0].trace.intervals[1].lane, 7);
  EXPECT_EQ(back[1].trace.missing, "no CUPTI");
  const std::string ranks = draw_timeline(two_ranks(), 90, false);
  EXPECT_EQ(draw_timeline(read_chrome_trace(chrome_trace({two_ranks()}))[0], 90, false), ranks);
}

TEST(ChromeTrace, RefusesARankThatCannotBe) {
  for (const int rank : {-1, kMostRanks}) {
    TracedRow row = two_ranks();
    row.trace.intervals[0].rank = rank;
    EXPECT_THROW(read_chrome_trace(chrome_trace({row})), std::runtime_error) << rank;
  }
}

TEST(ChromeTrace, RefusesAnythingElse) {
  const std::string good = chrome_trace({serial()});
  for (std::size_t size = 0; size + 3 < good.size(); size += 41)
    EXPECT_THROW(read_chrome_trace(good.substr(0, size)), std::runtime_error) << size;
  for (
      const char* bad :
      {"{}", "[]", R"({"traceEvents": 3})", R"({"traceEvents": [{"ph": "X", "pid": 0}]})",
       R"({"traceEvents": [{"ph":"X","pid":0,"tid":0,"ts":0,"dur":1,"name":"","cat":"compute","args":{"lane":0}}]})"})
    EXPECT_THROW(read_chrome_trace(bad), std::runtime_error) << bad;
  EXPECT_THROW(read_chrome_trace(std::string(100'000, '[')), std::runtime_error);
}

}  // namespace
}  // namespace wb::report
