// Rows and ceilings with round figures, so that what follows from them can be worked out by hand.
#pragma once

#include <gtest/gtest.h>

#include "model/row.h"
#include "report/plot.h"

// ./workbook installs gnuplot where it can; elsewhere what draws is skipped with the reason.
#define WB_SKIP_WITHOUT_GNUPLOT()     \
  try {                               \
    wb::report::require_gnuplot();    \
  } catch (const std::exception& e) { \
    GTEST_SKIP() << e.what();         \
  }

namespace wb {

inline std::string in_text(const report::Block& block,
                           const report::Style& style = report::Style::text) {
  const std::string text = report::as_text({block}, style);
  return text.substr(0, text.size() - 1);  // the blank line
}
inline std::string in_markdown(const report::Block& block) { return report::as_markdown({block}); }

// Nine equal samples.
inline Row make_row(const std::string& lesson, const std::string& variant, double seconds,
                    const Cost& cost = {}, const std::string& backend = "cuda") {
  Row row;
  row.lesson = lesson;
  row.variant = variant;
  row.backend = backend;
  row.axes = {{"n", 1}};
  row.date = "2026-01-02";
  row.cost = cost;
  row.samples.assign(9, seconds);
  return row;
}

inline Ceilings make_ceilings(const std::string& backend = "cuda") {
  Ceilings ceilings;
  ceilings.device = {backend, backend == "cuda" ? "Test GPU" : "Test CPU", "id", "driver 1",
                     backend == "cuda"};
  ceilings.date = "2026-01-02";
  ceilings.values = {{"read", 4e12},      {"triad", 3e12},   {"copy", 2e12},
                     {"cache", 8e12},     {"fp32", 40e12},   {"bf16_tensor", 400e12},
                     {"to_device", 50e9}, {"to_host", 25e9}, {"launch", 4e-6}};
  return ceilings;
}

// Baseline and optimized of two lessons: 1 ms -> 0.1 ms of a 0.05 ms read, and a wrong answer.
inline Results make_results() {
  Results results;
  results.machine = "Test GPU";
  results.version = "1";
  results.ceilings = {make_ceilings()};
  const Cost read{.flops = 2e8, .read = 2e8};
  results.rows = {make_row("ch1_x/01_sum", "baseline", 1e-3, read),
                  make_row("ch1_x/01_sum", "optimized", 1e-4, read),
                  make_row("ch1_x/02_gemm/small", "baseline", 2e-3, read),
                  make_row("ch1_x/02_gemm/small", "optimized", 1e-3, read)};
  results.rows[0].split = Split{.compute = 0.5, .copies = 0.25, .launch = 0.125, .idle = 0.125};
  results.rows[0].total = 2e-3;
  results.rows[3].samples.clear();
  results.rows[3].status = Status::wrong;
  results.rows[3].reason = "y: 3 of 10 wrong, first y[2]: got nan, want 1, allowed 1e-06";
  return results;
}

}  // namespace wb
