// What gnuplot draws of searches: in the terminal, or as SVG into a file.
#pragma once

#include <string>
#include <vector>

#include "../replay/replay.h"

namespace tune {

// Best so far by trial and generation; of a GPU kernel also FLOP/s by registers and by occupancy.
void plot(const Journal& journal, const std::string& svg);

// What strategies reach on a table: medians, in a file with their quartiles.
void plot(const Table& table, const std::vector<Replay>& all, const std::string& svg);

}  // namespace tune
