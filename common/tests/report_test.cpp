// Roofline arithmetic against figures worked out by hand, and what tables make of them.
#include <gtest/gtest.h>

#include "base/failure.h"
#include "base/output.h"
#include "has.h"
#include "report/against.h"
#include "report/explain.h"
#include "report/measured.h"
#include "report/table.h"
#include "report_rows.h"

namespace wb::report {
namespace {

TEST(CaseTable, TheHostIsDoneNoLaterThanTheLaunch) {
  Results results = make_results();
  results.rows.resize(2);
  results.rows[0].counters[Counter::enqueue] =
      1.1e-3;  // a median of other launches than the time's 1 ms
  results.rows[1].counters[Counter::enqueue] = 2e-5;
  const std::string table = in_text(case_table(side_by_side(results)[0], results));
  EXPECT_FALSE(has(table, "1.10 ms"));
  EXPECT_TRUE(has(table, "20.0 us"));
}

TEST(MemoryCeiling, LiesBetweenTheMeasuredStreams) {
  const Ceilings c = make_ceilings();
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 1}, c), 4e12);                // reads only
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 2, .write = 1}, c), 3e12);    // triad
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 1, .write = 1}, c), 2e12);    // copy
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 5, .write = 1}, c), 3.5e12);  // half way to triad
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 7, .write = 5}, c), 2.5e12);  // half way on to copy
  EXPECT_DOUBLE_EQ(memory_ceiling({.write = 1}, c), 2e12);               // no such stream: copy
  EXPECT_DOUBLE_EQ(memory_ceiling({}, c), 4e12);
}

TEST(MemoryCeiling, TakesTheBetterStoresAndWhatIsThere) {
  Ceilings c = make_ceilings("cpu");
  c.values["copy_nt"] = 2.5e12;
  c.values["triad_nt"] = 2.9e12;  // worse than plain triad
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 1, .write = 1}, c), 2.5e12);
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 2, .write = 1}, c), 3e12);
  c.values = {{"copy", 1e9}};
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 1}, c), 1e9);
  c.values.clear();
  EXPECT_DOUBLE_EQ(memory_ceiling({.read = 1}, c), 0);
}

TEST(Standing, MemoryBound) {
  const Ceilings c = make_ceilings();
  // 4e8 bytes at 4e12 B/s take 0.1 ms; 1e8 flops at 40e12 take 2.5 us.
  const Standing s = standing(make_row("l", "v", 2e-4, {.flops = 1e8, .read = 4e8}), &c);
  EXPECT_EQ(s.bound, Bound::memory);
  EXPECT_DOUBLE_EQ(s.floor, 1e-4);
  EXPECT_DOUBLE_EQ(s.roof, 0.5);
  EXPECT_DOUBLE_EQ(s.gbps, 2000);
  EXPECT_DOUBLE_EQ(s.gflops, 500);
  EXPECT_DOUBLE_EQ(s.intensity, 0.25);
  EXPECT_FALSE(s.suspect);
}

TEST(Standing, ComputeBoundByItsOwnUnit) {
  const Ceilings c = make_ceilings();
  Cost cost{.flops = 4e9, .read = 4e6};
  EXPECT_DOUBLE_EQ(standing(make_row("l", "v", 2e-4, cost), &c).roof, 0.5);  // 0.1 ms at 40 TFLOP/s
  EXPECT_EQ(standing(make_row("l", "v", 2e-4, cost), &c).bound, Bound::compute);
  cost.math = Math::bf16_tensor;
  EXPECT_DOUBLE_EQ(standing(make_row("l", "v", 2e-5, cost), &c).roof, 0.5);  // 10 us at 400 TFLOP/s
}

TEST(Standing, FasterThanASustainedPeakIsNoErrorUntilABurstIsBeaten) {
  Ceilings c = make_ceilings();  // bf16: 400 TFLOP/s, which 1e-5 s would need
  Row row = make_row("l", "v", 1e-5 / 1.1, {.flops = 4e9, .read = 4, .math = Math::bf16_tensor});
  EXPECT_TRUE(standing(row, &c).suspect);
  c.values["bf16_tensor_burst"] = 440e12;
  EXPECT_FALSE(standing(row, &c).suspect);
  EXPECT_TRUE(standing(row, &c).over);
  EXPECT_NEAR(standing(row, &c).roof, 1.1, 1e-9);
  row.samples.assign(9, 1e-5 / 1.2);
  EXPECT_TRUE(standing(row, &c).suspect);
}

TEST(Ceilings, OfArithmeticThatWasNotMeasured) {
  Ceilings c = make_ceilings();  // fp32 40 TFLOP/s, bf16 400, as older files have it
  EXPECT_EQ(c.peak(Math::bf16_tensor, true), 400e12);
  EXPECT_EQ(c.peak(Math::fp16_tensor), 400e12);
  EXPECT_EQ(c.peak(Math::tf32_tensor), 40e12);
  c.values.erase("bf16_tensor");
  EXPECT_EQ(c.peak(Math::bf16_tensor), 40e12);
  c.values["fp16_tensor"] = 100e12, c.values["fp16_tensor_burst"] = 120e12;
  EXPECT_EQ(c.peak(Math::fp16_tensor), 100e12);
  EXPECT_EQ(c.peak(Math::fp16_tensor, true), 120e12);
  EXPECT_EQ(c.peak(Math::fp32, true), 40e12);
  EXPECT_EQ(words(Math::tf32_tensor, true) + ", " + words(Math::bf16_tensor, false) + ", " +
                words(Math::fp32, true),
            "tf32 tensor, bf16, fp32");
  EXPECT_EQ(format_ceiling("tf32_tensor_burst", 4e14), "400 TFLOP/s");
}

TEST(Standing, LinkIsFullDuplexAndOfTheGpuOnly) {
  const Ceilings c = make_ceilings();
  // 1 GB there takes 20 ms, 1 GB back 40 ms at the same time.
  const Cost cost{.flops = 1e9, .read = 1e9, .to_device = 1e9, .to_host = 1e9};
  const Standing s = standing(make_row("l", "v", 0.05, cost), &c);
  EXPECT_EQ(s.bound, Bound::link);
  EXPECT_DOUBLE_EQ(s.floor, 0.04);
  EXPECT_DOUBLE_EQ(s.device_floor, 1e9 / 4e12);
  EXPECT_DOUBLE_EQ(s.roof, 0.8);
  EXPECT_DOUBLE_EQ(s.gbps, 20);
  EXPECT_DOUBLE_EQ(s.intensity, 1);
  const Ceilings cpu = make_ceilings("cpu");
  EXPECT_EQ(standing(make_row("l", "v", 0.05, cost, "cpu"), &cpu).bound, Bound::memory);
}

TEST(Standing, HotCacheUsesTheCacheCeiling) {
  const Ceilings c = make_ceilings();
  Row row = make_row("l", "v", 1e-4, {.read = 4e8});
  EXPECT_DOUBLE_EQ(standing(row, &c).roof, 1);
  row.cache = "hot";
  EXPECT_DOUBLE_EQ(standing(row, &c).roof, 0.5);
}

TEST(Standing, LaunchBoundWhenTheWorkIsTiny) {
  const Ceilings c = make_ceilings();
  const Cost tiny{.read = 4e6};  // 1 us at 4e12 B/s
  EXPECT_EQ(standing(make_row("l", "v", 4e-6, tiny), &c).bound, Bound::launch);
  EXPECT_EQ(standing(make_row("l", "v", 1.5e-6, tiny), &c).bound, Bound::memory);  // near its roof
  const Ceilings cpu = make_ceilings("cpu");
  EXPECT_EQ(standing(make_row("l", "v", 4e-6, tiny, "cpu"), &cpu).bound, Bound::memory);
}

TEST(Standing, SuspectAboveTheCeiling) {
  const Ceilings c = make_ceilings();
  EXPECT_TRUE(standing(make_row("l", "v", 0.96e-4, {.read = 4e8}), &c).suspect);   // 104 %
  EXPECT_FALSE(standing(make_row("l", "v", 0.98e-4, {.read = 4e8}), &c).suspect);  // 102 %
}

// As on a Zen 3, where the code that measured reads was slower than a lesson's, and both slower
// than a triad.
TEST(Standing, OfACpuIsSuspectAboveItsFastestMixAlone) {
  Ceilings c = make_ceilings("cpu");
  c.values = {{"read", 30e9}, {"triad_nt", 49e9}, {"copy", 35e9}};
  const auto at = [&](double rate) {
    return standing(make_row("l", "v", 4e8 / rate, {.read = 4e8}, "cpu"), &c);
  };
  EXPECT_FALSE(at(30e9).suspect || at(30e9).over);
  EXPECT_FALSE(at(32e9).suspect);
  EXPECT_TRUE(at(32e9).over);
  EXPECT_TRUE(at(51e9).suspect);
  c.device.accelerator = true;
  EXPECT_TRUE(at(32e9).suspect);
}

TEST(Standing, WhatTheL2StillHoldsIsNotSuspect) {
  Ceilings gpu = make_ceilings(), cpu = make_ceilings("cpu");
  gpu.values["l2_bytes"] = cpu.values["l2_bytes"] = 4e7;
  const Cost cost{.read = 2e8, .write = 2e8};
  const auto suspect = [&](double share_of_roof, const std::string& on) {
    const Ceilings& c = on == "cpu" ? cpu : gpu;
    const double floor = cost.bytes() / memory_ceiling(cost, c);
    return standing(make_row("l", "v", floor / share_of_roof, cost, on), &c).suspect;
  };
  EXPECT_FALSE(suspect(1.12, "cuda"));  // a tenth of the bytes may be on its way
  EXPECT_TRUE(suspect(1.16, "cuda"));
  EXPECT_FALSE(suspect(1.9, "cpu"));  // copies may reach half of what reads do
  EXPECT_TRUE(suspect(2.4, "cpu"));   // a tenth of the bytes may be on its way
  gpu.values["l2_bytes"] = 1e9;       // but what is read can't wait
  EXPECT_FALSE(suspect(1.9, "cuda"));
  EXPECT_TRUE(suspect(2.1, "cuda"));
}

TEST(Standing, NothingFromNothing) {
  const Ceilings c = make_ceilings();
  Row row = make_row("l", "v", 1e-3, {.read = 4e8});
  EXPECT_DOUBLE_EQ(standing(row, nullptr).gbps, 400);
  EXPECT_EQ(standing(row, nullptr).bound, Bound::unknown);
  row.status = Status::wrong;
  row.reason = "wrong";
  EXPECT_DOUBLE_EQ(standing(row, &c).seconds, 0);
  EXPECT_EQ(standing(make_row("l", "v", 1e-3), &c).bound, Bound::unknown);  // no cost
}

TEST(Compare, GivesNoRatioForAWrongRow) {
  const Row baseline = make_row("l", "baseline", 2e-3);
  Row variant = make_row("l", "optimized", 1e-3);
  EXPECT_DOUBLE_EQ(compare(baseline, variant).ratio, 2);
  EXPECT_EQ(compare(baseline, variant).verdict, "faster");
  EXPECT_EQ(compare(baseline, baseline).verdict, "same");
  EXPECT_EQ(compare(variant, baseline).verdict, "slower");
  variant.status = Status::wrong;
  variant.reason = "wrong";
  EXPECT_DOUBLE_EQ(compare(baseline, variant).ratio, 0);
  EXPECT_EQ(compare(baseline, variant).verdict, "");
}

TEST(Compare, GivesNoVerdictBetweenTwoDays) {
  Row baseline = make_row("l", "baseline", 2e-3), variant = make_row("l", "optimized", 1e-3);
  baseline.date = "2026-11-25", variant.date = "2026-11-26";
  EXPECT_EQ(compare(baseline, variant).verdict, kTwoDays);
  EXPECT_EQ(format_ratio(compare(baseline, variant)), "2.00x (two days)");
  EXPECT_EQ(short_ratio(format_ratio(compare(baseline, variant))), "2.00x");
  variant.date = baseline.date;
  EXPECT_EQ(compare(baseline, variant).verdict, "faster");
}

TEST(Compare, SaysHowALessonStandsBesideItsPeers) {
  Results results;
  const auto add = [&](i64 n, const char* variant, double seconds, const char* peer = "") {
    Row& row = results.rows.emplace_back(make_row("ch1_x/01_sum", variant, seconds));
    row.axes = {{"n", n}}, row.peer = peer;
  };
  add(1, "optimized", 1e-3), add(1, "pytorch", 4e-3, "PyTorch"), add(1, "compiled", 2e-3, "C");
  EXPECT_EQ(beside_peers(results), "") << "one case is no mean";
  add(2, "optimized", 1e-3), add(2, "pytorch", 0.5e-3, "PyTorch");
  add(3, "optimized", 1e-3);  // which no peer has
  EXPECT_TRUE(has(beside_peers(results),
                  "over 2 cases, optimized is 1x as fast (geometric mean), "
                  "0.5x at worst (n=2)"));
  add(1, "all_shapes", 1e-3), add(2, "all_shapes", 0.25e-3);
  EXPECT_TRUE(has(beside_peers(results), "all_shapes is 2x as fast (geometric mean), 2x at worst"));
}

TEST(Compare, RunsAreComparedByMediansThatWereNotTakenInTurn) {
  const auto of = [](double a, double b) {  // nine samples between a and b
    std::vector<double> samples;
    for (int i = 0; i < 9; ++i) samples.push_back(a + (b - a) * i / 8);
    return samples;
  };
  const auto verdict = [](auto then, auto now) { return between_runs(then, now, 0.05).verdict; };
  EXPECT_EQ(verdict(of(1, 1.01), of(1, 1.01)), "same");
  EXPECT_EQ(verdict(of(1, 1.01), of(1.07, 1.08)), "slower");
  EXPECT_EQ(verdict(of(1.07, 1.08), of(1, 1.01)), "faster");
  EXPECT_EQ(verdict(of(1, 1.01), of(1.03, 1.04)), "same") << "within the threshold";
  EXPECT_EQ(verdict(of(1, 1.3), of(1.05, 1.4)), "ambiguous") << "wide";
  EXPECT_EQ(between_runs({}, of(1, 2), 0.05).verdict, "");
  Results then = make_results(), now = make_results();
  now.rows[0].axes = {{"n", 2}};
  const std::vector<SpeedChange> all = changes(then, now, 0.05);
  ASSERT_EQ(all.size(), 2u) << "another case and a wrong row have no partner";
  EXPECT_TRUE(all[0].now == &now.rows[1] && all[0].then == &then.rows[1]);
}

TEST(Compare, SaysWhenSamplesHaveTwoSpeeds) {
  Results results = make_results();
  results.rows.resize(2);
  const auto table = [&] { return in_text(case_table(side_by_side(results)[0], results)); };
  EXPECT_FALSE(has(table(), "two speeds"));
  results.rows[1].samples = {19e-6, 525e-6, 18e-6, 530e-6, 19e-6, 520e-6, 19e-6, 19e-6, 20e-6};
  EXPECT_TRUE(has(table(), "note: optimized: two speeds, 19.0 us and 525 us, "));

  const auto two = [](std::vector<double> samples) { return two_speeds(samples).has_value(); };
  EXPECT_FALSE(two({}) || two({1}) || two({1, 9}) || two({1, 1, 9}));
  EXPECT_TRUE(two({1, 9, 1, 9}));
  EXPECT_FALSE(two({1, 1, 1, 1, 9}));       // one that was disturbed
  EXPECT_FALSE(two({1, 1, 1, 2, 2, 2}));    // not more than twice
  EXPECT_FALSE(two({1, 1.5, 2, 3, 4, 6}));  // a wide spread has no gap
  EXPECT_EQ(two_speeds(std::vector<double>{4, 10, 2, 12, 3})->second, 11);
}

TEST(CaseTable, SaysOnceInMarkdownWhatEachRowHas) {
  Results results = make_results();
  results.rows.resize(2);
  const auto table = [&] { return case_table(side_by_side(results)[0], results); };
  EXPECT_TRUE(in_markdown(table()).starts_with(
      "| variant | time | vs baseline | GB/s | TFLOP/s | % of roof | goodput |"))
      << in_markdown(table());
  EXPECT_TRUE(in_markdown(table()).ends_with("\n\nEach row: FLOP/B 1, nearest ceiling memory.\n"));
  EXPECT_FALSE(has(in_text(table()), "Each row"));
  for (Row& row : results.rows) row.cost.flops = 0;
  EXPECT_TRUE(in_markdown(table()).ends_with("\n\nEach row: nearest ceiling memory.\n"))
      << "nothing of 0";
  results.rows[1].status = Status::wrong, results.rows[1].samples.clear();
  EXPECT_FALSE(has(in_markdown(table()), "Each row")) << "a single row has all its columns";
}

TEST(Format, KeepsThreeDigits) {
  EXPECT_EQ(format_time(0.00431), "4.31 ms");
  EXPECT_EQ(format_time(1.234e-5), "12.3 us");
  EXPECT_EQ(format_time(2.5e-7), "0.25 us");
  EXPECT_EQ(format_time(75), "75.0 s");
  EXPECT_EQ(format_time(0.9999), "1.00 s");  // not 1000 ms
  EXPECT_EQ(format_bytes_per_second(4.29e12), "4.29 TB/s");
  EXPECT_EQ(format_bytes_per_second(55.04e9), "55.0 GB/s");
  EXPECT_EQ(format_flops(51e12), "51.0 TFLOP/s");
  EXPECT_EQ(format_percent(0.9184), "91.8%");
}

TEST(Goodput, HasItsExactForm) {
  Row row = make_row("l", "v", 1e-3);
  row.split = Split{.compute = 0.918};
  row.total = 4.69e-3;
  EXPECT_EQ(goodput(row), "goodput=91.8% (useful=4.31 ms total=4.69 ms)");
  row.split.reset();
  row.no_goodput = "no CUPTI";
  EXPECT_EQ(goodput(row), "goodput unknown: no CUPTI");
  row.split = Split{.compute = 0.996};
  Row other = row;
  other.variant = "w";
  EXPECT_EQ(goodput_lines({{&row}}), "goodput=99.6% (useful=4.67 ms total=4.69 ms)  v\n");
  EXPECT_EQ(goodput_lines({{&row, &other}}), "goodput=99.5% or more  each row\n");
  other.split->compute = 0.5;
  EXPECT_EQ(goodput_lines({{&row, &other}}),
            "goodput=50.0% (useful=2.34 ms total=4.69 ms)  w\ngoodput=99.5% or more  v\n");
}

TEST(Table, ShowsSpeedOfRightRowsOnly) {
  const Results results = make_results();
  const std::vector<SideBySide> all = side_by_side(results);
  ASSERT_EQ(all.size(), 2u);
  const std::string right = in_text(case_table(all[0], results));
  EXPECT_TRUE(has(right, "10.0x [9.90, 10.1] faster"));
  EXPECT_TRUE(has(right, "2000"));   // GB/s
  EXPECT_TRUE(has(right, "50.0%"));  // of the roof, and goodput
  const std::string wrong = in_text(case_table(all[1], results));
  EXPECT_TRUE(has(wrong, "WRONG: y: 3 of 10 wrong"));
  EXPECT_FALSE(has(wrong, "faster"));
  EXPECT_TRUE(has(in_text(summary_table(results, Called::by_path_and_title)), "WRONG"));
}

TEST(Table, MarkdownKeepsItsColumns) {
  Results results = make_results();
  results.rows[3].status = Status::wrong;
  results.rows[3].reason = "a|b\nc";
  const std::string table = in_markdown(case_table(side_by_side(results)[1], results));
  EXPECT_TRUE(has(table, "a\\|b c"));
  std::size_t lines = 0;
  for (const char c : table) lines += c == '\n';
  EXPECT_EQ(lines, 4u) << table;  // head, rule, two rows
}

TEST(Table, ANoteThatSeveralRowsShareIsOneLine) {
  Results results = make_results();
  results.rows[0].note = results.rows[1].note = "throttled";
  EXPECT_TRUE(has(in_text(case_table(side_by_side(results)[0], results)),
                  "\nnote: baseline, optimized: throttled\n"));
  results.rows[1].note = "at the floor";
  EXPECT_TRUE(has(in_text(case_table(side_by_side(results)[0], results)),
                  "\nnote: baseline: throttled\nnote: optimized: at the floor\n"));
}

TEST(Table, MarksSuspectRows) {
  Results results = make_results();
  results.rows[1].samples.assign(9, 4e-5);  // 125 % of the roof
  const std::string table = in_text(case_table(side_by_side(results)[0], results));
  EXPECT_TRUE(has(table, "125.0% suspect"));
  EXPECT_TRUE(has(table, "no win"));
}

TEST(Table, FitsAScreen) {
  Results results = make_results();
  const auto lines = [&](std::size_t width, std::size_t c = 0) {
    std::istringstream text(in_text(case_table(side_by_side(results)[c], results), {width, width}));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(line.size(), width) << line;
      all.push_back(line);
    }
    return all;
  };
  EXPECT_EQ(lines(80)[0],
            "variant       time                vs baseline  GB/s  TFLOP/s  % of roof");
  EXPECT_EQ(lines(80)[4], "Each row: FLOP/B 1, nearest ceiling memory.");
  EXPECT_EQ(lines(64)[0], "variant       time                vs baseline  GB/s  % of roof");
  EXPECT_EQ(lines(60)[0], "variant       time                vs baseline  % of roof");
  EXPECT_EQ(lines(46)[0], "variant       time                vs baseline");
  EXPECT_EQ(lines(46)[5], "variant    % of roof") << "what has no room stands below";
  results.rows[0].cost.math = results.rows[1].cost.math = Math::fp32;
  results.rows[0].cost.flops = results.rows[1].cost.flops = 4e9;  // now arithmetic is the bound
  EXPECT_EQ(lines(66)[0], "variant       time                vs baseline  TFLOP/s  % of roof");
  const auto wrong = lines(40, 1);
  EXPECT_EQ(wrong[3], "optimized  WRONG: y: 3 of 10 wrong,");
  EXPECT_EQ(wrong[4], "           first y[2]: got nan, want 1,");
}

// A part has two columns at least, in however narrow a terminal: each is shown once.
TEST(Table, OfATerminalWithoutRoomHasAllOfIt) {
  const Results results = make_results();
  for (std::size_t width = 1; width <= 80; ++width)
    for (const Table& table : {case_table(side_by_side(results)[0], results),
                               summary_table(results, Called::by_title)}) {
      const std::string text = in_text(table, {width, width});
      std::size_t shown = 0;
      for (std::size_t at = 0; (at = text.find("% of roof", at)) != std::string::npos; ++at)
        ++shown;
      EXPECT_EQ(shown, 1u) << width << "\n" << text;
    }
}

TEST(Table, HasTheColoursOfItsVerdicts) {
  const Results results = make_results();
  const Style style{.colours = true};
  const auto all = side_by_side(results);
  EXPECT_TRUE(
      has(in_text(case_table(all[0], results), style), "\033[32m10.0x [9.90, 10.1] faster\033[0m"));
  EXPECT_TRUE(has(in_text(case_table(all[1], results), style), "\033[31mWRONG: y"));
  EXPECT_FALSE(has(as_text(measured(results, {.screen = true}), Style::text), "\033"));
}

TEST(Wrapped, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one\n\ntwo three", 5), "one\n\ntwo\nthree");
  EXPECT_EQ(wrapped("12345678 a 12345678 b", 4, 2), "12345678\n  a 12345678\n  b");
  EXPECT_EQ(wrapped("  12345678\n1 ", 4), "  12345678\n1 ");
  EXPECT_EQ(wrapped("as it is", std::string::npos), "as it is");
  // What follows hangs below its own line, however often that breaks.
  EXPECT_EQ(wrapped("  one two six\nfour five", 7, 1), "  one\n   two\n   six\nfour\n five");
}

TEST(Table, CsvHasRawFiguresAndQuotes) {
  Results results = make_results();
  results.rows[0].axes = results.rows[1].axes = {{"m", 1}, {"op", "\"2\""}};
  const std::string text = as_csv(raw_table(results));
  EXPECT_TRUE(has(text, ",\"m=1,\"\"2\"\"\",1,\"\"\"2\"\"\",,device,"));
  EXPECT_TRUE(text.starts_with("lesson,variant,backend,case,m,op,n,clock,")) << text;
  EXPECT_TRUE(has(text, ",0.0001,10,9.9,10.1,faster,2e+12,2e+12,1,memory,0.5,"));
}

std::string names(const Results& results) {
  std::string text;
  for (const Row& r : results.rows)
    text += r.lesson.substr(6) + "/" + r.variant[0] + label(r.axes) + r.sweep + " ";
  return text;
}

TEST(Merge, ACaseIsReplacedAsAWholeAndKeepsItsPlace) {
  Results into = make_results();
  into.rows.push_back(make_row("ch1_x/01_sum", "baseline", 7));
  into.rows.back().sweep = "n";
  Results from;
  from.rows = {make_row("ch1_x/01_sum", "baseline", 3), make_row("ch1_x/01_sum", "solution", 4),
               make_row("ch1_x/01_sum", "baseline", 5), make_row("ch1_x/00_new", "optimized", 6)};
  from.rows[2].axes = {{"n", 2}};
  for (Row& row : from.rows) row.date = "2026-01-03";
  merge(into, from);
  // 01_sum has lost its optimized row, which was not measured beside these. Its other case stands
  // behind the first, its curve is as it was, and a new lesson comes last.
  EXPECT_EQ(names(into),
            "01_sum/bn=1 01_sum/sn=1 01_sum/bn=2 02_gemm/small/bn=1 02_gemm/small/on=1 "
            "01_sum/bn=1n 00_new/on=1 ");
  EXPECT_EQ(into.rows[0].samples[0], 3);
  EXPECT_EQ(into.rows[5].samples[0], 7);
  EXPECT_EQ(into.rows[0].date, "2026-01-03");
  EXPECT_EQ(into.rows[5].date, "2026-01-02");
  const std::string before = names(into);
  merge(into, Results(into));  // with itself: nothing changes
  EXPECT_EQ(names(into), before);
}

// With a comparison of each pair of cases this takes minutes, and the test's time limit ends it.
TEST(Merge, FiftyThousandCasesAreMergedAndFoundOneByOne) {
  Results results, more;
  for (int n = 1; n <= 50000; ++n) {
    Row& row = results.rows.emplace_back();
    row.lesson = "ch1_x/01_sum", row.backend = "cpu", row.variant = "baseline";
    row.axes = {{"n", n}};
    row.sweep = n % 2 ? "" : "n";
  }
  more = results;
  merge(results, more);
  EXPECT_EQ(results.rows.size(), 50000u);
  EXPECT_EQ(side_by_side(results).size(), 25000u);
  EXPECT_EQ(curves(results).at(0).at.size(), 25000u);
}

TEST(Merge, TakesTheBetterCeilingOfOneDevice) {
  Results into = make_results(), from = make_results();
  from.rows.clear();
  from.ceilings[0].values = {{"read", 5e12}, {"copy", 1e12}, {"launch", 3e-6}, {"copy_nt", 1e12}};
  merge(into, from);
  const Ceilings& c = into.ceilings[0];
  EXPECT_EQ(c.get("read"), 5e12);
  EXPECT_EQ(c.get("copy"), 2e12);
  EXPECT_EQ(c.get("launch"), 3e-6);
  EXPECT_EQ(c.get("copy_nt"), 1e12);
  from.ceilings = {make_ceilings("cpu")};
  merge(into, from);
  EXPECT_EQ(into.ceilings.size(), 2u);
  from.ceilings[0].device.name = "Another CPU";
  EXPECT_THROW(merge(into, from), Failure);
}

// Other programs may use a CPU's memory. The roof is that of the idle machine all the same, as in
// the picture: what they leave a triad bounds no other row.
TEST(Standing, TheRoofOfACpuIsThatOfTheIdleMachine) {
  Ceilings c = make_ceilings("cpu");
  c.values["triad_nt"] = 3e12;
  Row row = make_row("l", "v", 2e-4, {.read = 4e8}, "cpu");  // the roof allows 1e-4 s
  EXPECT_EQ(standing(row, &c).delivered, 1);
  const auto at = [&](double memory) {
    row.memory = memory;
    return standing(row, &c);
  };
  for (const double memory : {1e12, 1.5e12, 3e12, 6e12})
    EXPECT_NEAR(at(memory).roof, 0.5, 1e-12) << memory;
  EXPECT_NEAR(at(1e12).delivered, 1.0 / 3, 1e-12);
  EXPECT_FALSE(at(1e12).suspect || at(1e12).over);
  row.samples.assign(9, 0.9e-4);
  EXPECT_TRUE(at(3e12).suspect);
  EXPECT_TRUE(at(1.5e12).suspect);
  EXPECT_FALSE(at(3.6e12).suspect);  // memory was better than when the ceiling was measured
  EXPECT_TRUE(at(3.6e12).over);
  row.cost = {.read = 3e8, .write = 1e8};  // 1.23e-4 s
  row.samples.assign(9, 0.9e-4);
  EXPECT_TRUE(at(3e12).suspect);
  c.values["llc_bytes"] = 1e8;  // a quarter of that
  EXPECT_FALSE(at(3e12).suspect);
  EXPECT_TRUE(at(3e12).over);
  row.cost = {.read = 4e8};
  row.samples.assign(9, 2e-4);
  row.cache = "hot";  // then memory is not what it reads
  EXPECT_EQ(at(1.5e12).delivered, 1);
}

TEST(Explain, NamesTheRoofAndTheProduct) {
  Results results = make_results();
  results.rows[1].split = Split{.compute = 0.9, .idle = 0.1};
  const std::string text = explain(side_by_side(results)[0], results);
  EXPECT_TRUE(has(text, "10x faster than baseline"));
  EXPECT_TRUE(has(text, "50.0% of its roof, memory bandwidth (2.00 TB/s of 4.00 TB/s)"));
  EXPECT_TRUE(has(text, "Kernel efficiency 50.0% x goodput 90.0% = 45.0% end to end"));
  EXPECT_TRUE(has(explain(side_by_side(results)[1], results), "wrong answer"));
}

// compare LESSON/exercise LESSON/optimized: the ratio of one to the other.
TEST(Explain, ComparesWithTheFirstWhereThereIsNoBaseline) {
  Results results = make_results();
  results.rows.resize(2);
  results.rows[0].variant = "optimized", results.rows[1].variant = "exercise";
  const SideBySide c = side_by_side(results)[0];
  EXPECT_EQ(c.reference(), &results.rows[0]);
  EXPECT_EQ(c.best(), &results.rows[1]);
  const Cell speedup = cell(cells(c, results.rows[1], results), "speedup");
  EXPECT_EQ(speedup.column.head, "vs optimized");
  EXPECT_TRUE(has(speedup.text, "10.0x"));
  EXPECT_EQ(speedup.raw[0].second, "") << "no speedup over a baseline";
  EXPECT_TRUE(has(explain(c, results), "exercise is 10x faster than optimized and"));
  results.rows.resize(1);
  const SideBySide alone = side_by_side(results)[0];
  EXPECT_EQ(cell(cells(alone, results.rows[0], results), "speedup").column.head, "");
}

TEST(Explain, TellsSlowMemoryFromASlowProgram) {
  Results results = make_results();
  results.ceilings[0].values["triad_nt"] = 3e12;
  Row& row = results.rows[1];  // at half of its roof
  const auto text = [&] { return explain(side_by_side(results)[0], results); };
  EXPECT_FALSE(has(text(), "triad"));
  row.memory = 2.95e12;  // as it should be
  EXPECT_FALSE(has(text(), "triad"));
  row.memory = 1.5e12;
  EXPECT_TRUE(has(text(), "50.0% of its roof, memory bandwidth (2.00 TB/s of 4.00 TB/s)"));
  EXPECT_TRUE(has(text(), "a plain triad got 1.50 TB/s here, and 3.00 TB/s on the idle"));
  row.cost = {.flops = 4e9, .read = 1};  // arithmetic bounds it, whatever memory does
  EXPECT_FALSE(has(text(), "triad"));
}

TEST(Explain, UsesTheTracedPassOnTheWallClock) {
  Results results = make_results();
  Row& row =
      results.rows[1];  // 50 us of memory traffic in 100 us of kernels in 200 us of wall time
  row.clock = "wall";
  row.samples.assign(9, 2e-4);
  row.split = Split{.compute = 0.5, .idle = 0.5};
  row.total = 2e-4;
  const std::string text = explain(side_by_side(results)[0], results);
  EXPECT_TRUE(has(text, "Kernel efficiency 50.0% x goodput 50.0% = 25.0% end to end"));
  // Caches were warm in the traced pass; of its times only the shares count.
  row.total /= 4;
  EXPECT_EQ(explain(side_by_side(results)[0], results), text);
  row.split->compute = 0.2;  // 40 us of kernels, which would be less than the traffic takes
  EXPECT_FALSE(has(explain(side_by_side(results)[0], results), "end to end"));
}

TEST(Explain, SaysWhereTheHostSetsTheSpeedup) {
  Results results = make_results();
  const char* warning = "baseline waits for the host";
  const auto text = [&] { return explain(side_by_side(results)[0], results); };
  EXPECT_FALSE(has(text(), warning));
  results.rows[0].split = Split{.compute = 0.3, .launch = 0.6, .idle = 0.1};
  results.rows[0].total = 1.1e-3;  // nearly all of it is in the samples of 1 ms
  EXPECT_TRUE(has(text(), warning));
  results.rows[0].total = 2e-3;  // the gaps are between launches, and not in the samples
  EXPECT_FALSE(has(text(), warning));
  results.rows[0].total = 1e-3;
  results.rows[0].split = Split{.compute = 0.7, .launch = 0.2, .idle = 0.1};
  EXPECT_FALSE(has(text(), warning));
  results.rows[0].split = Split{.compute = 0.3, .launch = 0.7};
  results.rows[1].split = results.rows[0].split;  // both wait, and their ratio holds
  results.rows[1].total = 1e-4;
  EXPECT_FALSE(has(text(), warning));
  results.rows[1].split.reset();
  results.rows[0].backend = "cpu";
  EXPECT_FALSE(has(text(), warning));
}

}  // namespace
}  // namespace wb::report
