#include "model/counts.h"

#include "base/json.h"
#include "model/counts_json.h"
#include "model/row.h"

namespace wb {

using nlohmann::json;

Counters<double> counters_of(const Counts& c) {
  const auto over = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  Counters<double> all{};
  all[Counter::requests] = c.requests();
  all[Counter::sectors] = over(c.sectors(), c.of_global());
  all[Counter::used] = over(c[Count::asked], 32 * c.sectors());
  all[Counter::cycles] = over(c[Count::cycles], c[Count::least]);
  all[Counter::lanes] = over(c[Count::lanes], c.requests());
  all[Counter::one_address] = c[Count::one_address];
  all[Counter::barriers] = c[Count::barriers];
  return all;
}

json json_of(const std::vector<LineCounts>& lines) {
  json all = json::array();
  for (const LineCounts& one : lines) {
    json& fields = all.emplace_back(json{{"line", one.line}});
    for (std::size_t i = 0; i < one.counts.size(); ++i)
      if (one.counts.at(i) != 0) fields[kCounts[i]] = one.counts.at(i);
    if (!one.accesses.empty()) fields["accesses"] = json_of(one.accesses);
  }
  return all;
}

std::vector<LineCounts> lines_from(const json& lines) {
  std::vector<LineCounts> all;
  if (!lines.is_array()) throw std::runtime_error("lines must be a list");
  for (const json& fields : lines) {
    LineCounts& one = all.emplace_back(LineCounts{text(fields.at("line"), "line")});
    for (std::size_t i = 0; i < one.counts.size(); ++i)
      if (fields.contains(kCounts[i])) one.counts.at(i) = number(fields[kCounts[i]], kCounts[i]);
    if (fields.contains("accesses")) one.accesses = accesses_from(fields["accesses"]);
  }
  return all;
}

}  // namespace wb
