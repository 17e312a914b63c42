#include "model/results.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/files.h"
#include "base/json.h"

namespace wb {

using nlohmann::json;

namespace {

// What a row's "workbook" object holds, for writing and reading alike.
using Text = std::pair<const char*, std::string Row::*>;
constexpr Text kTexts[] = {{"lesson", &Row::lesson},   {"variant", &Row::variant},
                           {"backend", &Row::backend}, {"case", &Row::label},
                           {"clock", &Row::clock},     {"cache", &Row::cache},
                           {"timer", &Row::timer}};
constexpr Text kRemarks[] = {{"date", &Row::date},   {"skipped", &Row::skipped},
                             {"note", &Row::note},   {"no_goodput", &Row::no_goodput},
                             {"sweep", &Row::sweep}, {"item", &Row::item},
                             {"per", &Row::per},     {"show", &Row::show}};
constexpr std::pair<const char*, double Row::*> kFigures[] = {
    {"items", &Row::items},
    {"enqueue_seconds", &Row::enqueue},
    {"memory_bytes_per_second", &Row::memory},
    {"sweep_at", &Row::at}};
constexpr std::pair<const char*, double Cost::*> kCosts[] = {{"flops", &Cost::flops},
                                                             {"bytes_read", &Cost::read},
                                                             {"bytes_written", &Cost::write},
                                                             {"bytes_to_device", &Cost::to_device},
                                                             {"bytes_to_host", &Cost::to_host}};
constexpr std::pair<const char*, double Split::*> kShares[] = {{"compute", &Split::compute},
                                                               {"copies", &Split::copies},
                                                               {"allocation", &Split::allocation},
                                                               {"launch", &Split::launch},
                                                               {"idle", &Split::idle}};

json row_fields(const Row& row) {
  json fields;
  for (const auto& [key, member] : kTexts) fields[key] = row.*member;
  for (const auto& [key, member] : kRemarks)
    if (!(row.*member).empty()) fields[key] = row.*member;
  for (const auto& [key, member] : kFigures)
    if (row.*member > 0) fields[key] = row.*member;
  for (const auto& [key, member] : kCosts) fields[key] = row.cost.*member;
  fields["math"] = row.cost.math == Math::fp32 ? "fp32" : "bf16_tensor";
  if (row.split) {
    json& goodput = fields["goodput"];
    for (const auto& [key, member] : kShares) goodput[key] = (*row.split).*member;
    goodput["useful_seconds"] = row.useful;
    goodput["total_seconds"] = row.total;
  }
  return fields;
}

// What Google Benchmark's own readers look for in every entry.
json entry(const Row& row, int family) {
  const std::string name = row.lesson + "/" + row.variant + "/" + row.backend + "/" + row.label;
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"repetitions", std::max<std::size_t>(row.samples.size(), 1)},
          {"repetition_index", 0},
          {"threads", 1},
          {"iterations", 1},
          {"real_time", 0.0},
          {"cpu_time", 0.0},
          {"time_unit", "ns"}};
}

// The checked reading of one field; errors name the field.
double number(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_number()) throw std::runtime_error(std::string(key) + " must be a number");
  const double d = value.get<double>();
  if (!std::isfinite(d) || d < 0)
    throw std::runtime_error(std::string(key) + " must be finite and not negative");
  return d;
}

std::string text(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_string()) throw std::runtime_error(std::string(key) + " must be a text");
  return value.get<std::string>();
}

Row read_row(const json& fields) {
  Row row;
  for (const auto& [key, member] : kTexts) row.*member = text(fields, key);
  for (const auto& [key, member] : kRemarks)
    if (fields.contains(key)) row.*member = text(fields, key);
  for (const auto& [key, member] : kFigures)
    if (fields.contains(key)) row.*member = number(fields, key);
  for (const auto& [key, member] : kCosts) row.cost.*member = number(fields, key);
  const std::string math = text(fields, "math");
  if (math != "fp32" && math != "bf16_tensor")
    throw std::runtime_error("math must be fp32 or bf16_tensor");
  row.cost.math = math == "fp32" ? Math::fp32 : Math::bf16_tensor;
  if (fields.contains("goodput")) {
    const json& goodput = fields["goodput"];
    row.split.emplace();
    for (const auto& [key, member] : kShares) (*row.split).*member = number(goodput, key);
    row.useful = number(goodput, "useful_seconds");
    row.total = number(goodput, "total_seconds");
  }
  return row;
}

Results read_results(const json& root) {
  Results results;
  const json& workbook = root.at("context").at("workbook");
  results.machine = text(workbook, "machine");
  results.version = text(workbook, "version");
  for (const json& c : workbook.at("ceilings")) {
    Ceilings ceilings;
    ceilings.device = {text(c, "backend"), text(c, "name"), "", text(c, "driver")};
    ceilings.date = text(c, "date");
    for (const auto& item : c.at("values").items())
      ceilings.values[item.key()] = number(c.at("values"), item.key().c_str());
    results.ceilings.push_back(std::move(ceilings));
  }
  for (const json& e : root.at("benchmarks")) {
    if (e.contains("workbook")) {
      results.rows.push_back(read_row(e["workbook"]));
      if (results.rows.back().date.empty() && workbook.contains("date"))  // as files had it once
        results.rows.back().date = text(workbook, "date");
      if (e.contains("error_occurred")) {
        if (results.rows.back().skipped.empty())
          results.rows.back().error = text(e, "error_message");
        continue;
      }
    } else if (text(e, "run_type") != "iteration") {
      continue;  // an aggregate: the samples say it all
    } else if (results.rows.empty()) {
      throw std::runtime_error("the first entry has no workbook fields");
    }
    const double nanoseconds = number(e, "real_time");
    if (nanoseconds == 0 || text(e, "time_unit") != "ns")
      throw std::runtime_error("real_time must be above 0, in ns");
    results.rows.back().samples.push_back(nanoseconds * 1e-9);
  }
  for (const Row& row : results.rows)
    if (row.samples.empty() && row.error.empty() && row.skipped.empty())
      throw std::runtime_error("no samples of " + row.lesson + "/" + row.variant);
  return results;
}

}  // namespace

std::string to_json(const Results& results, const std::string& benchmark_context) {
  json context = benchmark_context.empty() ? json::object() : parse_json(benchmark_context);
  json ceilings = json::array();
  for (const Ceilings& c : results.ceilings)
    ceilings.push_back({{"backend", c.device.backend},
                        {"name", c.device.name},
                        {"driver", c.device.driver},
                        {"date", c.date},
                        {"values", c.values}});
  context["workbook"] = {
      {"machine", results.machine}, {"version", results.version}, {"ceilings", ceilings}};

  // One entry a line, so that stored results make readable differences.
  std::string out = "{\n\"context\": " + dump_json(context) + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  int family = 0;
  for (const Row& row : results.rows) {
    json e = entry(row, family++);
    e["workbook"] = row_fields(row);
    if (row.samples.empty() || !row.error.empty() || !row.skipped.empty()) {
      e["error_occurred"] = true;
      e["error_message"] = !row.error.empty()     ? row.error
                           : !row.skipped.empty() ? row.skipped
                                                  : "no samples";
      out += separator + dump_json(e);
      separator = ",\n";
      continue;
    }
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      e["repetition_index"] = i;
      // Whole picoseconds: what is below is noise, and files stay small.
      e["real_time"] = std::round(row.samples[i] * 1e12) * 1e-3;
      e["cpu_time"] = e["real_time"];
      out += separator + dump_json(e);
      separator = ",\n";
      e.erase("workbook");
    }
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
