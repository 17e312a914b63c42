// Results as Google Benchmark JSON: its compare.py and other readers work on these files.
#pragma once

#include <string>

#include "model/row.h"

namespace wb {

// One entry per row (run_type "iteration"): its name says lesson, variant, backend and axes,
// real_time is the median of its samples in ns, and the object "workbook" holds the samples and our
// other fields, of which those with their usual values are left out. A row that is not ok has
// error_occurred, too. Machine, version and ceilings stand in
// context.workbook, without host name or serial number.
// `more`: an object with what else is to stand in the context.
std::string to_json(const Results& results, const std::string& more = "{}");

// Throws std::runtime_error with one line that names `source`: not JSON, cut off, deeper than 16
// levels, larger than 64 MiB, fields missing, wrong types, no samples. Unknown fields are ignored.
Results from_json(const std::string& text, const std::string& source);
Results load_results(const std::string& path);

}  // namespace wb
