#include "model/results.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "base/files.h"
#include "base/json.h"
#include "base/median.h"

namespace wb {

using nlohmann::json;

namespace {

// What a row's "workbook" object holds, for writing and reading alike. `usual`: a field with this
// value is not written.
struct Text {
  const char* key;
  std::string Row::*member;
  const char* usual;
};
constexpr Text kTexts[] = {{"cache", &Row::cache, "cold"},       {"sweep", &Row::sweep, ""},
                           {"clock", &Row::clock, "device"},     {"timer", &Row::timer, "events"},
                           {"reason", &Row::reason, ""},         {"note", &Row::note, ""},
                           {"no_goodput", &Row::no_goodput, ""}, {"item", &Row::item, ""}};
template <class T> using Figure = std::pair<const char*, double T::*>;  // 0 is not written
constexpr Figure<Row> kFigures[] = {{"items", &Row::items},
                                    {"enqueue_seconds", &Row::enqueue},
                                    {"memory_bytes_per_second", &Row::memory}};
constexpr Figure<Cost> kCosts[] = {{"flops", &Cost::flops},
                                   {"read", &Cost::read},
                                   {"written", &Cost::write},
                                   {"to_device", &Cost::to_device},
                                   {"to_host", &Cost::to_host}};
constexpr Figure<Split> kShares[] = {{"compute", &Split::compute},
                                     {"copies", &Split::copies},
                                     {"allocation", &Split::allocation},
                                     {"launch", &Split::launch},
                                     {"idle", &Split::idle}};
constexpr double WorstError::*kErrors[] = {&WorstError::absolute, &WorstError::relative,
                                           &WorstError::of_allowed};
constexpr const char* kShows[] = {"time", "bandwidth", "flops", "item", "error"};  // as Show

// Rounded to so many digits: what is below is noise, and files stay small.
json figure(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double scale = std::pow(10.0, std::abs(decimals));  // exact, unlike its inverse
  value = decimals > 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
  if (value == std::floor(value) && std::abs(value) < 0x1p53) return static_cast<i64>(value);
  return value;
}

template <class T, std::size_t N>
void write_figures(json& to, const T& from, const Figure<T> (&figures)[N], int digits) {
  for (const auto& [key, member] : figures)
    if (from.*member != 0) to[key] = figure(from.*member, digits);
}

json row_fields(const Row& row, const std::string& usual_date) {
  json fields;
  if (row.date != usual_date) fields["date"] = row.date;
  for (const auto& [key, member, usual] : kTexts)
    if (row.*member != usual) fields[key] = row.*member;
  if (row.status != Status::ok) fields["status"] = name(row.status);
  if (row.show != Show::time) fields["show"] = kShows[static_cast<int>(row.show)];
  if (row.rate) fields["rate"] = true;
  if (row.cost.math != Math::fp32) fields["math"] = "bf16_tensor";
  write_figures(fields, row, kFigures, 6);
  write_figures(fields, row.cost, kCosts, 17);
  if (row.error)
    for (const auto member : kErrors)
      fields["worst_error"].push_back(figure((*row.error).*member, 3));
  if (row.split) {
    json& goodput = fields["goodput"];
    write_figures(goodput, *row.split, kShares, 6);
    goodput["seconds"] = figure(row.total, 6);
  }
  json& samples = fields["samples"] = json::array();
  for (const double seconds : row.samples) samples.push_back(figure(seconds * 1e9, 6));
  return fields;
}

json entry(const Row& row, const std::string& usual_date) {
  const json time = figure(std::max(median(row.samples) * 1e9, 1e-3), 6);
  json e = {{"name", benchmark_name(row)}, {"run_type", "iteration"},
            {"real_time", time},           {"cpu_time", time},
            {"time_unit", "ns"},           {"workbook", row_fields(row, usual_date)}};
  if (!has_speed(row)) {
    e["error_occurred"] = true;
    e["error_message"] = row.reason.empty() ? "no samples" : row.reason;
  }
  return e;
}

// The one that most rows have: they need not say it.
std::string usual_date(const Results& results) {
  std::map<std::string, int> counts;
  for (const Row& row : results.rows) ++counts[row.date];
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

// The checked reading of one field; errors name the field.
double number(const json& value, const std::string& key) {
  if (!value.is_number()) throw std::runtime_error(key + " must be a number");
  const double d = value.get<double>();
  if (!std::isfinite(d) || d < 0)
    throw std::runtime_error(key + " must be finite and not negative");
  return d;
}
double number(const json& object, const char* key) {
  return number(object.at(key), std::string(key));
}

std::string text(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_string()) throw std::runtime_error(std::string(key) + " must be a text");
  return value.get<std::string>();
}

template <class T, std::size_t N>
void read_figures(const json& from, T& to, const Figure<T> (&figures)[N]) {
  for (const auto& [key, member] : figures)
    if (from.contains(key)) to.*member = number(from, key);
}

Row read_row(const json& entry, const std::string& usual_date) {
  const json& fields = entry.at("workbook");
  Row row;
  row.date = fields.contains("date") ? text(fields, "date") : usual_date;
  for (const auto& [key, member, usual] : kTexts)
    if (fields.contains(key)) row.*member = text(fields, key);
  read_benchmark_name(text(entry, "name"), row);
  if (fields.contains("status")) {
    const auto status = status_named(text(fields, "status"));
    if (!status) throw std::runtime_error("status must be one of ok, wrong, failed ...");
    row.status = *status;
  }
  if (fields.contains("show")) {
    const auto show = std::find(std::begin(kShows), std::end(kShows), text(fields, "show"));
    if (show == std::end(kShows)) throw std::runtime_error("show must be time, bandwidth ...");
    row.show = static_cast<Show>(show - kShows);
  }
  row.rate = fields.contains("rate") && fields["rate"] == true;
  if (fields.contains("math")) {
    const std::string math = text(fields, "math");
    if (math != "fp32" && math != "bf16_tensor")
      throw std::runtime_error("math must be fp32 or bf16_tensor");
    if (math == "bf16_tensor") row.cost.math = Math::bf16_tensor;
  }
  read_figures(fields, row, kFigures);
  read_figures(fields, row.cost, kCosts);
  if (fields.contains("worst_error")) {
    row.error.emplace();
    for (std::size_t i = 0; i < std::size(kErrors); ++i)
      (*row.error).*kErrors[i] = number(fields["worst_error"].at(i), std::string("worst_error"));
  }
  if (fields.contains("goodput")) {
    const json& goodput = fields["goodput"];
    read_figures(goodput, row.split.emplace(), kShares);
    row.total = number(goodput, "seconds");
  }
  if (!fields.at("samples").is_array()) throw std::runtime_error("samples must be a list");
  for (const json& nanoseconds : fields["samples"]) {
    row.samples.push_back(number(nanoseconds, std::string("a sample")) * 1e-9);
    if (row.samples.back() == 0) throw std::runtime_error("a sample must be above 0");
  }
  if (row.status == Status::ok && row.samples.empty())
    throw std::runtime_error("no samples of " + row.lesson + "/" + row.variant);
  return row;
}

Results read_results(const json& root) {
  Results results;
  const json& workbook = root.at("context").at("workbook");
  results.machine = text(workbook, "machine");
  results.version = text(workbook, "version");
  if (workbook.contains("failure")) {
    results.failure = static_cast<int>(number(workbook["failure"], "code"));
    results.failure_reason = text(workbook["failure"], "reason");
  }
  for (const json& c : workbook.at("ceilings")) {
    Ceilings ceilings;
    ceilings.device = {text(c, "backend"), text(c, "name"), "", text(c, "driver"),
                       c.contains("accelerator") && c["accelerator"] == true};
    ceilings.date = text(c, "date");
    for (const auto& item : c.at("values").items())
      ceilings.values[item.key()] = number(item.value(), item.key());
    results.ceilings.push_back(std::move(ceilings));
  }
  const std::string date = workbook.contains("date") ? text(workbook, "date") : "";
  for (const json& e : root.at("benchmarks")) {
    if (!e.contains("workbook")) throw std::runtime_error("an entry has no workbook fields");
    results.rows.push_back(read_row(e, date));
  }
  return results;
}

}  // namespace

std::string to_json(const Results& results, const std::string& benchmark_context) {
  json context = benchmark_context.empty() ? json::object() : parse_json(benchmark_context);
  json ceilings = json::array();
  for (const Ceilings& c : results.ceilings) {
    json values = json::object();
    for (const auto& [key, value] : c.values) values[key] = figure(value, 6);
    ceilings.push_back({{"backend", c.device.backend},
                        {"name", c.device.name},
                        {"driver", c.device.driver},
                        {"accelerator", c.device.accelerator},
                        {"date", c.date},
                        {"values", values}});
  }
  const std::string date = usual_date(results);
  json& workbook = context["workbook"] = {{"machine", results.machine},
                                          {"version", results.version},
                                          {"date", date},
                                          {"ceilings", ceilings}};
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
  } catch (const std::exception& e) {
    throw std::runtime_error(source + ": not a result of this workbook: " + one_line(e));
  }
}

Results load_results(const std::string& path) { return from_json(read_file(path), path); }

}  // namespace wb
