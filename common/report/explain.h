// What the figures of a comparison mean, in a sentence or two.
#pragma once

#include <string>

#include "model/row.h"
#include "report/table.h"

namespace wb::report {

// What bounds the best row of a case (optimized where there is one) and how far it is from the
// roof; then kernel efficiency x goodput = end-to-end efficiency. No advice: what a variant does
// already no figure tells.
std::string explain(const SideBySide& c, const Results& results);

// How `optimized` (where there is one, `all_shapes`) stands beside the fastest of a lesson's peers
// over all cases that both have: the geometric mean and the worst ratio of speeds. Empty: fewer
// than two.
std::string beside_peers(const Results& of_a_lesson);

// What of the wall time is not compute: "copies 5.1%  gaps 3.1%"; gaps are those between launches.
std::string parts(const Split& split, const char* before, const char* between);

// `goodput=91.8% (useful=4.31 ms total=4.69 ms)`, or why there is none.
std::string goodput(const Row& row);

// A line per row: `goodput=91.8% (useful=4.31 ms total=4.69 ms)  optimized copies=5.1% gaps=3.1%`;
// those of 99.5 % or more share one, unless such a row is alone.
std::string goodput_lines(const SideBySide& c);

}  // namespace wb::report
