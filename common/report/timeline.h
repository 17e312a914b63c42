// Timelines: the records of a traced pass as lanes, in the terminal, as SVG and as a trace file.
#pragma once

#include <string>
#include <vector>

#include "harness/trace.h"

namespace wb {

struct TracedRow {
  std::string title;  // "ch1_basics/04_double_buffering/optimized cuda n=67108864"
  Trace trace;
};

// Chrome trace event format (open it in Perfetto): a process a row, a thread a lane, `cat` the
// activity. read_chrome_trace takes what chrome_trace wrote; throws std::runtime_error otherwise.
std::string chrome_trace(const std::vector<TracedRow>& rows);
std::vector<TracedRow> read_chrome_trace(const std::string& text);

// Lanes host, to device, compute, to host (only those with records), `width` columns, one steady
// iteration or more, then the split of the wall time. No colour when `colour` is false.
std::string draw_timeline(const TracedRow& row, int width, bool colour);
std::string timeline_svg(const std::vector<TracedRow>& rows);

}  // namespace wb
