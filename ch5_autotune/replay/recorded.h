// The table of ../03_strategies: every configuration of a product of 3072 x 3072 matrices, tried
// once on an H200. For a search on it, configurations have numbers.
#pragma once

#include <string>
#include <vector>

#include "base/build_info.h"
#include "table.h"

namespace tune {

class Recorded {
 protected:
  static const std::vector<Configuration>& all() {  // that are legal
    static const std::vector<Configuration> all = table().space.all();
    return all;
  }
  static const Table& table() {
    static const Table table =
        load_table(std::string(wb::source_folder()) + "/ch5_autotune/03_strategies/table.jsonl");
    return table;
  }
  static const std::vector<int>& counts() {  // of values, by parameter
    static const std::vector<int> counts = [] {
      std::vector<int> counts;
      for (const Parameter& p : table().space.parameters())
        counts.push_back(static_cast<int>(p.values.size()));
      return counts;
    }();
    return counts;
  }
  // Its number among all, legal or not, from 1. It is 0 where a parameter has no such place.
  static std::size_t number(const Configuration& c) {
    const std::vector<int>& count = counts();
    std::size_t n = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c[i] < 0 || c[i] >= count[i]) return 0;
      n = n * count[i] + c[i];
    }
    return n + 1;
  }
  static const std::vector<bool>& legal() {  // by number
    static const std::vector<bool> legal = [] {
      std::size_t count = 1;
      for (const int values : counts()) count *= values;
      std::vector<bool> legal(count + 1);
      for (const Configuration& c : all()) legal[number(c)] = true;
      return legal;
    }();
    return legal;
  }
};

}  // namespace tune
