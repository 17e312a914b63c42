#include "model/results.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "base/files.h"
#include "base/json.h"
#include "base/median.h"
#include "base/output.h"
#include "base/pattern.h"
#include "model/counts_json.h"

namespace wb {

using nlohmann::json;

namespace {

constexpr const char* kShows[] = {"time", "bandwidth", "flops", "item", "error", "gain"};
constexpr double WorstError::*kErrors[] = {&WorstError::absolute, &WorstError::relative,
                                           &WorstError::of_allowed};

// Rounded to so many digits: what is below is noise, and files stay small.
json figure(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double scale = std::pow(10.0, std::abs(decimals));  // exact, unlike its inverse
  value = decimals > 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
  value = std::min(value, kLargestNumber);
  if (value == std::floor(value) && std::abs(value) < 0x1p53) return static_cast<i64>(value);
  return value;
}

// The fields of an object, written and read alike. A field with its usual value is not written, and
// one that is not there keeps its value; errors name the field.
struct Fields {
  json& object;
  bool writing;
  bool reads(const char* key) const { return !writing && object.contains(key); }

  void operator()(const char* key, std::string& value, const std::string& usual = "") const {
    if (writing && value != usual) object[key] = value;
    if (reads(key)) value = text(object[key], key);
  }
  void operator()(const char* key, bool& value) const {
    if (writing && value) object[key] = value;
    if (reads(key)) value = object[key] == true;
  }
  void operator()(const char* key, double& value, int digits = 6) const {
    if (writing && value != 0) object[key] = figure(value, digits);
    if (reads(key)) value = number(object[key], key);
  }
  template <class E, std::size_t N>
  void operator()(const char* key, E& value, const char* const (&names)[N]) const {
    if (writing && value != E{}) object[key] = names[static_cast<int>(value)];
    if (!reads(key)) return;
    const auto found = std::ranges::find(names, text(object[key], key));
    if (found == names + N)
      throw std::runtime_error(fmt::format("{} must be one of {}", key, fmt::join(names, ", ")));
    value = static_cast<E>(found - names);
  }
};

// What a row's "workbook" object holds beside its date, its samples and their worst error.
void fields_of(Row& row, const Fields& field) {
  field("cache", row.cache, "cold");
  field("sweep", row.sweep);
  field("clock", row.clock, "device");
  field("timer", row.timer, "events");
  field("status", row.status, kStatuses);
  field("reason", row.reason);
  field("note", row.note);
  field("no_goodput", row.no_goodput);
  field("show", row.show, kShows);
  field("items", row.items);
  field("item", row.item);
  field("rate", row.rate);
  field("bound", row.bound, 4);
  for (std::size_t i = 0; i < row.counters.size(); ++i) field(kCounters[i], row.counters.at(i));
  field("memory_bytes_per_second", row.memory);
  field("math", row.cost.math, kMaths);
  field("flops", row.cost.flops, 17);
  field("read", row.cost.read, 17);
  field("written", row.cost.write, 17);
  field("to_device", row.cost.to_device, 17);
  field("to_host", row.cost.to_host, 17);
  if (field.reads("goodput")) row.split.emplace();
  if (!row.split) return;
  const Fields share{field.object["goodput"], field.writing};
  share("compute", row.split->compute);
  share("copies", row.split->copies);
  share("allocation", row.split->allocation);
  share("launch", row.split->launch);
  share("idle", row.split->idle);
  share("seconds", row.total);
}

json written_fields(Row row, const std::string& usual_date) {
  json fields;
  if (row.date != usual_date) fields["date"] = row.date;
  fields_of(row, {fields, /*writing=*/true});
  if (!row.lines.empty()) fields["lines"] = json_of(row.lines);
  if (row.hardware.any() || !row.hardware.missing.empty())
    fields["hardware"] = json_of(row.hardware);
  if (row.error)
    for (const auto member : kErrors)
      fields["worst_error"].push_back(figure((*row.error).*member, 3));
  json& samples = fields["samples"] = json::array();
  for (const double seconds : row.samples) samples.push_back(figure(seconds * 1e9, 6));
  return fields;
}

json entry(const Row& row, const std::string& usual_date) {
  const json time = figure(std::max(median(row.samples) * 1e9, 1e-3), 6);
  json e = {{"name", benchmark_name(row)}, {"run_type", "iteration"},
            {"real_time", time},           {"cpu_time", time},
            {"time_unit", "ns"},           {"workbook", written_fields(row, usual_date)}};
  if (!has_speed(row)) {
    e["error_occurred"] = true;
    e["error_message"] = !row.reason.empty() ? row.reason
                         : only_counts(row)  ? "counted, not timed"
                                             : "no samples";
  }
  return e;
}

// The one that most rows have: they need not say it.
std::string usual_date(const Results& results) {
  std::map<std::string, int> counts;
  for (const Row& row : results.rows) ++counts[row.date];
  const auto most = std::ranges::max_element(counts, {}, [](auto& date) { return date.second; });
  return most == counts.end() ? "" : most->first;
}

using Peers = std::map<std::string, std::string>;  // how people call them, by variant

Row read_row(json& entry, const std::string& usual_date, const Peers& peers) {
  json& fields = entry.at("workbook");
  Row row;
  row.date = fields.contains("date") ? text(fields["date"], "date") : usual_date;
  fields_of(row, {fields, /*writing=*/false});
  read_benchmark_name(text(entry.at("name"), "name"), row);
  if (const auto peer = peers.find(row.variant); peer != peers.end()) row.peer = peer->second;
  if (fields.contains("worst_error")) {
    row.error.emplace();
    for (std::size_t i = 0; i < std::size(kErrors); ++i)
      (*row.error).*kErrors[i] = number(fields["worst_error"].at(i), "worst_error");
  }
  if (fields.contains("lines")) row.lines = lines_from(fields["lines"]);
  if (fields.contains("hardware")) row.hardware = hardware_from(fields["hardware"]);
  if (!fields.at("samples").is_array()) throw std::runtime_error("samples must be a list");
  for (const json& nanoseconds : fields["samples"]) {
    const double sample = number(nanoseconds, "a sample");
    if (sample < 1e-6 || sample > 1e21)
      throw std::runtime_error("a sample must be above 0 and a time");
    row.samples.push_back(sample * 1e-9);
  }
  if (row.status == Status::ok && row.samples.empty() && !only_counts(row))
    throw std::runtime_error("no samples of " + row.lesson + "/" + row.variant);
  return row;
}

Results read_results(json root) {
  const auto required = [](const json& object, const char* key) {
    return text(object.at(key), key);
  };
  Results results;
  json& workbook = root.at("context").at("workbook");
  results.machine = required(workbook, "machine");
  results.version = required(workbook, "version");
  if (workbook.contains("failure")) {
    const json& failure = workbook["failure"];
    const double code = number(failure.at("code"), "code");
    if (code > 255) throw std::runtime_error("code must be an exit code");
    results.failure = static_cast<int>(code);
    results.failure_reason = required(failure, "reason");
  }
  for (json& c : workbook.at("ceilings")) {
    Ceilings& ceilings = results.ceilings.emplace_back();
    ceilings.device = {required(c, "backend"), required(c, "name"), "", required(c, "driver")};
    Fields{c, false}("accelerator", ceilings.device.accelerator);
    ceilings.date = required(c, "date");
    for (const auto& [key, value] : c.at("values").items())
      ceilings.values[key] = number(value, key);
  }
  std::string date;
  Fields{workbook, false}("date", date);
  Peers peers;
  if (workbook.contains("peers"))
    for (const auto& [variant, called] : workbook["peers"].items())
      peers[variant] = text(called, "a name of peers");
  for (json& e : root.at("benchmarks")) {
    if (!e.contains("workbook")) throw std::runtime_error("an entry has no workbook fields");
    results.rows.push_back(read_row(e, date, peers));
  }
  return results;
}

// The library speaks of its functions: "cannot use at() with array", "key 'context' not found".
std::string in_own_words(const json::exception& error) {
  constexpr std::pair<const char*, const char*> kinds[] = {{"array", "a list"},
                                                           {"object", "named fields"},
                                                           {"string", "a text"},
                                                           {"boolean", "true or false"},
                                                           {"null", "nothing"}};
  const std::string said = error.what();
  if (const auto field = find_pattern(said, "key ('[^']*') not found"); !field.empty())
    return "it has no " + field[1];
  if (said.find("overflow") != said.npos) return "one of its numbers is too large";
  if (said.find("out of range") != said.npos) return "one of its lists is too short";
  std::string kind = "a number";
  for (const auto& [theirs, ours] : kinds)
    if (said.ends_with(theirs)) kind = ours;
  return "it has another form: " + kind + " where " +
         (kind == kinds[1].second ? "a list" : "named fields or a list") + " must be";
}

}  // namespace

std::string to_json(const Results& results, const std::string& more) {
  json ceilings = json::array();
  for (const Ceilings& c : results.ceilings) {
    json values = json::object();
    for (const auto& [key, value] : c.values)
      values[key] = figure(value, key.ends_with("_bytes") ? 17 : 6);
    ceilings.push_back({{"backend", c.device.backend},
                        {"name", c.device.name},
                        {"driver", c.device.driver},
                        {"accelerator", c.device.accelerator},
                        {"date", c.date},
                        {"values", values}});
  }
  const std::string date = usual_date(results);
  json context = parse_json(more);
  json& workbook = context["workbook"] = {{"machine", results.machine},
                                          {"version", results.version},
                                          {"date", date},
                                          {"ceilings", ceilings}};
  for (const Row& row : results.rows)
    if (!row.peer.empty()) workbook["peers"][row.variant] = row.peer;
  if (results.failure)
    workbook["failure"] = {{"code", results.failure}, {"reason", results.failure_reason}};

  // One entry a line, so that stored results make readable differences.
  std::string out = "{\n\"context\": " + dump_json(context) + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  for (const Row& row : results.rows) {
    out += separator + dump_json(entry(row, date));
    separator = ",\n";
  }
  return out + "\n]\n}\n";
}

Results from_json(const std::string& text, const std::string& source) {
  try {
    return read_results(parse_json(text));
  } catch (const json::exception& e) {
    throw std::runtime_error(source + ": not a result of this workbook: " + in_own_words(e));
  } catch (const std::exception& e) {
    throw std::runtime_error(source + ": not a result of this workbook: " + one_line(e));
  }
}

Results load_results(const std::string& path) { return from_json(read_file(path), path); }

}  // namespace wb
