// Pictures of searches, drawn by gnuplot.
#pragma once

#include <vector>

#include "../replay/replay.h"
#include "report/document.h"

namespace tune {

// Best so far by trial and generation; of a GPU kernel also FLOP/s by registers and by occupancy.
// Draws `journal`, which has to be there until then.
wb::report::Figure plot(const Journal& journal);

// What strategies reach on a table: medians, and as SVG their quartiles.
wb::report::Figure plot(const Table& table, const std::vector<Replay>& all);

}  // namespace tune
