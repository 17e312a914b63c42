// Timelines: the records of a traced pass as lanes, in the terminal, as SVG and as a trace file.
#pragma once

#include <string>
#include <vector>

#include "model/trace_file.h"

namespace wb::report {

// Lanes host, to device, copy, compute, to host (only those with records), of several ranks for
// each of them, `width` columns, one steady iteration or more, then the split of the wall time. No
// colour when `colour` is false.
std::string draw_timeline(const TracedRow& row, int width, bool colour);
// What the marks in its lanes mean, for a line below the last one; of a lane's records only those
// that `rows` have.
std::string timeline_legend(const std::vector<TracedRow>& rows);
std::string timeline_svg(const std::vector<TracedRow>& rows);

}  // namespace wb::report
