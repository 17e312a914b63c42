#include "report/sweep.h"

#include "has.h"
#include "report_rows.h"

namespace wb::report {
namespace {

// 1e9 FLOP a unit of the axis, in a time that stops shrinking per unit at 64: the knee.
Results make_sweep(Show show = Show::flops) {
  Results results = make_results();
  results.rows.resize(1);  // a case beside the sweep, which must not become part of it
  for (const double at : {1.0, 16.0, 64.0, 128.0})
    for (const char* variant : {"baseline", "optimized"}) {
      const double seconds = (variant[0] == 'b' ? 1e-3 : 1e-4) * std::max(at, 64.0);
      Row row = make_row("ch1_x/06_batch", variant, seconds, {.flops = 1e9 * at, .read = 1e6 * at});
      row.sweep = "batch", row.axes = {{"batch", static_cast<i64>(at)}}, row.show = show;
      row.items = at, row.item = "sample", row.rate = false;
      results.rows.push_back(row);
    }
  results.ceilings[0].values["l2_bytes"] = 32e6;
  return results;
}

TEST(Sweep, CollectsItsPointsAndLeavesCasesAlone) {
  const Results results = make_sweep();
  const std::vector<Curve> all = curves(results);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].at, (std::vector<double>{1, 16, 64, 128}));
  EXPECT_EQ(all[0].variants, (std::vector<std::string>{"baseline", "optimized"}));
  EXPECT_EQ(side_by_side(results).size(), 1u);
  EXPECT_EQ(all[0].find("optimized", 2), nullptr);
  Results skipped = results;
  for (Row& row : skipped.rows)
    if (row.variant == "optimized" && !row.sweep.empty())
      row.samples.clear(), row.status = Status::skipped, row.reason = "needs Hopper";
  EXPECT_EQ(curves(skipped)[0].variants, std::vector<std::string>{"baseline"});
}

TEST(Sweep, MarksTheKnee) {
  Results results = make_sweep();
  const std::string text = curve_summary(curves(results)[0], results);
  EXPECT_TRUE(has(
      text,
      "optimized: best 10.0 TFLOP/s at batch 64 (6.40 ms); within 5 % of that from 64 to 128\n"));
  // Seconds an item: lower is better, and has the same knee.
  results = make_sweep(Show::item);
  const std::string items = curve_summary(curves(results)[0], results);
  EXPECT_TRUE(
      has(items, "best 100 us/sample at batch 64 (6.40 ms); within 5 % of that from 64 to 128\n"));
  // 4 % below the top is near enough.
  for (Row& row : results.rows)
    if (point_of(row) == 16)
      row.samples.assign(3, 1.04e-4 * 16 * (row.variant == "baseline" ? 10 : 1));
  EXPECT_TRUE(has(curve_summary(curves(results)[0], results), "within 5 % of that from 16 to 128"));
  // A best point that stands alone has no such range.
  for (Row& row : results.rows)
    if (point_of(row) != 64) row.samples.assign(3, 1.0);
  EXPECT_TRUE(has(curve_summary(curves(results)[0], results), "at batch 64 (6.40 ms)\n"));
}

TEST(Sweep, TableShowsWhatFailed) {
  Results results = make_sweep();
  results.rows[4].status = Status::wrong;
  results.rows[4].reason = "y: 1 of 3 wrong";
  results.rows[6].samples.clear();
  results.rows[6].status = Status::skipped;
  results.rows[6].reason = "needs 80.0 GiB of device memory";
  const std::string table = in_text(curve_table(curves(results)[0], results));
  EXPECT_TRUE(has(table, "WRONG"));
  EXPECT_TRUE(has(table, "note: optimized at 16: WRONG: y: 1 of 3 wrong"));
  EXPECT_TRUE(has(table, "note: optimized at 64: skipped: needs 80.0 GiB"));
  EXPECT_TRUE(has(table, "25.0%"));  // 10 of 40 TFLOP/s
}

TEST(Sweep, DrawsCurvesRoofAndCaches) {
  WB_SKIP_WITHOUT_GNUPLOT();
  const Results results = make_sweep();
  const Curve curve = curves(results)[0];
  const std::string drawn = curve_plot(curve, results, Picture::terminal, 80);
  EXPECT_TRUE(has(drawn, "06_batch, Test GPU"));
  EXPECT_TRUE(has(drawn, "L2 30.5 MiB"));
  const std::string svg = curve_plot(curve, results, Picture::svg);
  EXPECT_TRUE(has(svg, "<svg") && has(svg, "roof") && has(svg, "optimized"));
  for (const double at : curve.at)  // the last one, too
    EXPECT_TRUE(has(svg, ">" + std::to_string(static_cast<int>(at)) + "<")) << at;
  EXPECT_TRUE(curve_plot(curve, results, Picture::png).starts_with("\x89PNG"));
}

// On a narrow screen the curves' names take two lines below the axis.
TEST(Sweep, NamesItsAxisAboveALongKey) {
  WB_SKIP_WITHOUT_GNUPLOT();
  Results results = make_sweep();
  for (std::size_t i = 0, count = results.rows.size(); i < count; ++i) {
    Row more = results.rows[i];
    more.variant = more.variant == "baseline" ? "step1_two_buffers" : "step2_three_buffers";
    results.rows.push_back(more);
  }
  const std::string drawn = curve_plot(curves(results)[0], results, Picture::terminal, 80);
  std::istringstream lines(drawn);
  bool alone = false;
  for (std::string line; std::getline(lines, line);) {
    std::erase(line, ' ');
    alone |= line == "batch";
  }
  EXPECT_TRUE(alone) << drawn;
}

// The outputs are 100 MB, so the baseline's pass moves 200 MB: 50 us at 4 TB/s.
TEST(Sweep, ShowsGainsBesideWhatTheyCanBe) {
  Results results = make_sweep(Show::gain);
  results.ceilings[0].values["copy"] = 4e12;
  for (Row& row : results.rows) row.cost.read = 0, row.cost.write = 1e8;
  const Curve curve = curves(results)[0];
  EXPECT_EQ(curve.variants, std::vector<std::string>{"optimized"});
  const std::string table = in_text(curve_table(curve, results));
  EXPECT_TRUE(has(table, "at most") && has(table, "10.0x")) << table;
  EXPECT_TRUE(has(table, "3.00x"));  // the outputs alone take 25 us, at batch 1
  EXPECT_TRUE(has(table, "1.02x"));  // and 128e9 FLOP 3.2 ms
  WB_SKIP_WITHOUT_GNUPLOT();
  const std::string svg = curve_plot(curve, results, Picture::svg);
  EXPECT_TRUE(has(svg, "at most") && !has(svg, ">baseline<")) << svg.substr(0, 2000);
  std::erase_if(results.rows, [](const Row& row) { return row.variant == "baseline"; });
  const std::string alone = in_text(curve_table(curves(results)[0], results));
  EXPECT_TRUE(has(alone, "1              -    3.00x"));
}

// Of the baseline a tenth of its bound, which grows along the axis; optimized is right at two
// points.
Results make_errors() {
  Results results = make_sweep(Show::error);
  for (Row& row : results.rows) {
    if (row.sweep.empty()) continue;
    const double at = point_of(row);
    const bool baseline = row.variant == "baseline";
    row.bound = baseline ? 1e-3 * at : 1e-7;
    row.error = WorstError{.relative = baseline ? 1e-4 * at : at < 64 ? 0 : 5e-8};
  }
  return results;
}

TEST(Sweep, ShowsErrorsAndTheirBounds) {
  Results results = make_errors();
  EXPECT_EQ(curve_summary(curves(results)[0], results),
            "baseline: at worst 1.3e-02 at batch 128, bound 1.3e-01\n"
            "optimized: at worst 5.0e-08 at batch 64, bound 1.0e-07\n");
  const std::string table = in_text(curve_table(curves(results)[0], results));
  EXPECT_TRUE(has(table, "bound") && has(table, "1.6e-03") && has(table, "1.6e-02")) << table;
  WB_SKIP_WITHOUT_GNUPLOT();
  Row peer = results.rows.back();  // which has no errors
  peer.variant = peer.peer = "pytorch", peer.error.reset(), peer.bound = 0;
  results.rows.push_back(peer);
  const std::string svg = curve_plot(curves(results)[0], results, Picture::svg);
  EXPECT_TRUE(has(svg, "bound of baseline") && has(svg, "bound of optimized") && has(svg, "1e-07"));
  EXPECT_FALSE(has(svg, "roof") || has(svg, "pytorch") || has(svg, "L2"));
  EXPECT_FALSE(has(curve_plot(curves(results)[0], results, Picture::terminal), "bound"));
  for (Row& row : results.rows) row.error = WorstError{};  // a logarithmic axis has no 0
  EXPECT_EQ(curve_plot(curves(results)[0], results, Picture::svg), "");
}

TEST(Table, HasErrorsWhereALessonIsAboutThem) {
  Results results = make_results();
  results.rows[1].error = WorstError{.relative = 2.5e-6};
  const auto table = [&] { return in_text(case_table(side_by_side(results)[0], results)); };
  EXPECT_FALSE(has(table(), "error") || has(table(), "2.5e-06"));
  results.rows[1].bound = 1e-5;
  EXPECT_TRUE(has(table(), "error") && has(table(), "2.5e-06"));
}

TEST(Sweep, DrawsNothingWhenNothingHasASpeed) {
  Results results = make_sweep();
  for (Row& row : results.rows) row.status = Status::wrong;
  EXPECT_EQ(curve_plot(curves(results)[0], results, Picture::terminal), "");
  EXPECT_EQ(curve_summary(curves(results)[0], results), "");
}

}  // namespace
}  // namespace wb::report
