// What the hardware counted: names in files, the figures that follow, and what is shown where
// nothing was counted.
#include "report/hardware.h"

#include <gtest/gtest.h>

#include "has.h"
#include "model/results.h"
#include "report/measured.h"
#include "report_rows.h"

namespace wb::report {
namespace {

// 2e8 bytes and 2e8 FLOP are the least; 2.54e8 bytes came from memory, by 16 sectors a request.
HardwareCounts made_up() {
  return {.events = {{Hardware::dram_read, 2.5e8},
                     {Hardware::dram_written, 4e6},
                     {Hardware::l2_bytes, 8e8},
                     {Hardware::l2_hit_rate, 0.25},
                     {Hardware::load_requests, 1e6},
                     {Hardware::load_sectors, 16e6},
                     {Hardware::shared_requests, 0},
                     {Hardware::shared_wavefronts, 0},
                     {Hardware::instructions, 12345600},
                     {Hardware::occupancy, 0.5},
                     {Hardware::local_bytes, 0}},
          .stalls = {{"long scoreboard", 0.62}, {"wait", 0.2}, {"barrier", 0.05}}};
}

Results counted() {
  Results results = make_results();
  results.rows.resize(2);
  results.rows[1].hardware = made_up();
  results.rows[0].hardware = made_up();
  results.rows[0].hardware.events[Hardware::dram_read] = 8e8 - 4e6;
  results.rows[0].hardware.events[Hardware::load_sectors] = 32e6;
  return results;
}

TEST(Hardware, EachEventHasANameOfItsOwn) {
  std::set<std::string> names(std::begin(kHardware), std::end(kHardware));
  EXPECT_EQ(names.size(), std::size(kHardware));
  EXPECT_EQ(std::string(kHardware[static_cast<int>(Hardware::tensor_active)]), "tensor_active");
}

TEST(Hardware, FiguresFollowFromRawValues) {
  const Results results = counted();
  const Row& row = results.rows[1];
  EXPECT_DOUBLE_EQ(*of_least_bytes(row), 1.27);
  EXPECT_NEAR(*dram_intensity(row), 2e8 / 2.54e8, 1e-12);
  EXPECT_DOUBLE_EQ(*l2_intensity(row), 0.25);
  EXPECT_EQ(top_stalls(row.hardware), "long scoreboard 62.0%, wait 20.0%");
}

TEST(Hardware, WhatWasNotCountedHasNoFigure) {
  Row row = counted().rows[1];
  row.hardware.events.erase(Hardware::dram_written);  // a sum without one part is no sum
  EXPECT_FALSE(of_least_bytes(row));
  EXPECT_FALSE(dram_intensity(row));
  row.hardware = made_up();
  row.cost = {};  // nothing has to be moved
  EXPECT_FALSE(of_least_bytes(row));
  EXPECT_FALSE(l2_intensity(row));
  EXPECT_EQ(top_stalls({}), "");
}

TEST(Hardware, TheTableShowsWhatSomeRowHas) {
  const Results results = counted();
  const std::string table = in_markdown(hardware_table(side_by_side(results)[0]));
  EXPECT_TRUE(has(table, "| DRAM/least | L2/least | L2 hits | sectors/load | instructions |"));
  EXPECT_TRUE(has(table, "| optimized | 1.27x | 4.00x | 25.0% | 16.0 | 12.3 M |"));
  EXPECT_TRUE(has(table, "| baseline | 4.00x |"));
  for (const char* empty : {"turns/shared", "local", "cycles", "LLC", "tensor"})
    EXPECT_FALSE(has(table, empty));
}

TEST(Hardware, TheSentenceSaysWhatIsMovedAndHow) {
  Results results = counted();
  EXPECT_EQ(hardware_sentence(side_by_side(results)[0]),
            "optimized moves 1.27 times the bytes that it needs: its loads touch 16.0 sectors per "
            "request (baseline: 4.00 times and 32.0). The longest stalls of its warps, of "
            "their cycles: long scoreboard 62.0%, wait 20.0%.\n");
  results.rows[0].hardware = {};
  results.rows[1].hardware.events[Hardware::local_bytes] = 3 << 20;
  results.rows[1].hardware.stalls.clear();
  EXPECT_EQ(hardware_sentence(side_by_side(results)[0]),
            "optimized moves 1.27 times the bytes that it needs: its loads touch 16.0 sectors per "
            "request. It moves 3.00 MiB of local memory, where registers go that do not fit.\n");
  results.rows[1].hardware = {};
  EXPECT_EQ(hardware_sentence(side_by_side(results)[0]), "");
}

TEST(Hardware, CsvHasRawValues) {
  const std::string csv = as_csv(raw_table(counted()));
  EXPECT_TRUE(has(csv, ",dram_read_bytes,dram_written_bytes,l2_bytes,l2_hit_rate,"));
  EXPECT_TRUE(has(csv, ",250000000,4000000,800000000,0.25,1000000,16000000,,"));
  EXPECT_FALSE(has(as_csv(raw_table(make_results())), "dram_read_bytes"));
}

TEST(Hardware, ComesBackFromAFile) {
  Results results = counted();
  results.rows[0].hardware = {.missing = "may not watch this GPU"};
  const std::vector<Row> rows = from_json(to_json(results), "file").rows;
  EXPECT_EQ(rows.at(1).hardware.events, made_up().events);
  EXPECT_EQ(rows.at(1).hardware.stalls, made_up().stalls);
  EXPECT_EQ(rows.at(0).hardware.missing, "may not watch this GPU");
  EXPECT_FALSE(rows.at(0).hardware.any());
}

TEST(Hardware, AFileThatIsNoneIsRefused) {
  const std::string good = to_json(counted());
  const auto with = [&](const std::string& old, const std::string& wrong) {
    std::string text = good;
    const std::size_t at = text.find(old);
    EXPECT_NE(at, text.npos);
    return text.replace(at, old.size(), wrong);
  };
  EXPECT_NO_THROW(from_json(good, "file"));
  for (const auto& [old, wrong] : {std::pair{"\"l2_bytes\":800000000", "\"l2_bytes\":-1"},
                                   {"\"l2_bytes\":800000000", "\"l2_bytes\":\"many\""},
                                   {"\"wait\":0.2", "\"wait\":null"}}) {
    EXPECT_THROW(from_json(with(old, wrong), "file"), std::runtime_error) << wrong;
  }
}

TEST(Hardware, WhyNothingWasCountedIsSaidOnce) {
  Results results = counted();
  for (Row& row : results.rows) row.hardware = {.missing = "CUPTI may not watch this GPU"};
  const std::string text =
      report::as_text(report::measured(results, {.screen = true}), report::Style::text);
  const std::size_t first = text.find("No counters: CUPTI may not watch this GPU.\n");
  EXPECT_NE(first, text.npos) << text;
  EXPECT_EQ(text.find("may not watch", first + 20), text.npos) << text;
  EXPECT_FALSE(has(text, "DRAM/least"));
}

TEST(Hardware, ARowThatWasNotCountedBesideOneThatWasSaysWhy) {
  Results results = counted();
  results.rows[0].hardware = {.missing = "another profiler is attached"};
  const std::string table = in_text(report::hardware_table(side_by_side(results)[0]));
  EXPECT_TRUE(has(table, "not counted: another profiler is attached"));
}

TEST(Hardware, RowsWithoutCountersReadAsBefore) {
  Results results = make_results();
  const std::string json = to_json(results);
  EXPECT_FALSE(has(json, "hardware"));
  const std::string text =
      report::as_text(report::measured(results, {.screen = true}), report::Style::text);
  EXPECT_FALSE(has(text, "counters") || has(text, "DRAM")) << text;
  results.rows[1].hardware = made_up();
  const std::string more =
      report::as_text(report::measured(results, {.screen = true}), report::Style::text);
  EXPECT_TRUE(has(more, "DRAM/least"));
}

}  // namespace
}  // namespace wb::report
