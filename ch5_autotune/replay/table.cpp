#include "table.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/failure.h"

namespace tune {
namespace {

// "BM=64,128 BK=32", as Space::identity() has it.
Space space_of(const std::string& identity) {
  Space space;
  std::istringstream words(identity);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    std::vector<int> values;
    std::istringstream numbers(word.substr(std::min(equals, word.size() - 1) + 1));
    for (std::string number; std::getline(numbers, number, ',');)
      values.push_back(std::stoi(number));
    if (values.empty()) throw std::invalid_argument("'" + word + "' is no parameter");
    space.add(word.substr(0, equals), values, values.front());
  }
  return space;
}

}  // namespace

Table load_table(const std::string& path) {
  Table table{space_of(load_subject(path).space), {}};
  for (Record& r : load_journal(path, table.space).history) table.records[r.configuration] = r;
  table.predicted = true;
  for (const auto& [configuration, r] : table.records) {
    if (r.status != Status::ok) continue;
    if (table.optimum == 0 || r.seconds < table.optimum) table.optimum = r.seconds;
    table.predicted = table.predicted && r.predicted > 0;
  }
  if (table.optimum == 0) throw wb::Failure(2, path + ": no configuration was right");
  table.space.require("it is not in the table", [known = table.records](const Values& v) {
    return known.contains(v.configuration);
  });
  return table;
}

}  // namespace tune
