// Traced passes as a file.
#pragma once

#include <string>
#include <vector>

#include "model/trace.h"

namespace wb {

struct TracedRow {
  std::string title;  // "ch1_x/02_gemm/optimized cuda n=67108864"
  Trace trace;
};

// Chrome trace event format (open it in Perfetto): a process a row, a thread a lane, `cat` the
// activity. read_chrome_trace takes what chrome_trace wrote; throws std::runtime_error otherwise.
std::string chrome_trace(const std::vector<TracedRow>& rows);
std::vector<TracedRow> read_chrome_trace(const std::string& text);

}  // namespace wb
