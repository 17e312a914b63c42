// Searches on a table in which every configuration was measured once. A search that takes an hour
// on a GPU takes a millisecond here, so strategies can be compared over a hundred seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../engine/proposer.h"
#include "table.h"

namespace tune {

// One search, until it has the optimum, nothing is left or `most` are tried. Seconds of the best so
// far after each trial; infinite until one was right.
std::vector<double> replay(const Table& table, const std::string& strategy, std::uint64_t seed,
                           std::size_t most = ~std::size_t{0});

struct Quartiles {
  double low, median, high;
};
struct Replay {
  std::string strategy;
  std::vector<Quartiles> reached;  // after each trial: optimum / best so far
  Quartiles trials;                // until kGood
};
std::vector<Replay> replay_all(const Table& table, int seeds);  // seeds 1, 2, ...

// Spearman's, between the predictions and the measured times; in [-1, 1].
double rank_correlation(const Table& table);

// Replays a hundred seeds of each strategy, prints the trials that they needed and draws how they
// came there: medians in the terminal, and with their quartiles as SVG into a file. Returns the
// exit code.
int show_replays(const std::string& path, const std::string& svg);

}  // namespace tune
