// A table in which every configuration was measured once.
#pragma once

#include <map>
#include <string>

#include "../engine/journal.h"

namespace tune {

constexpr double kGood = 0.98;  // of the optimum: then a search may end

struct Table {
  Space space;  // the table's: the configurations in it are legal
  std::map<Configuration, Record> records;
  double optimum = 0;      // seconds
  bool predicted = false;  // each right one has a prediction
};

// From the journal of an exhaustive search. Throws what load_journal() throws, and Failure (code 2)
// where nothing in it was right.
Table load_table(const std::string& path);

}  // namespace tune
