#include "pages/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/failure.h"
#include "base/files.h"
#include "model/results.h"
#include "pages/gpus.h"
#include "pages/small_table.h"
#include "report/about.h"
#include "report/measured.h"
#include "report/table.h"

namespace wb::pages {

namespace fs = std::filesystem;

namespace {

const std::string kResults = "common/results/";

// Of a results page: "h200_ch1.md".
std::string page_file(const std::string& path, const std::string& machine) {
  return fmt::format("{}_{}.md", machine, path.substr(0, path.find_first_of("_/")));
}

// A block of a README: what its marker asks for, and of what.
struct Marker {
  bool sweep;
  std::string path, axis, machine;
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  std::string to_top;  // from the README: "../../"
  const Results* results = nullptr;

  std::string link(const char* text) const {
    return fmt::format("[{}]({}{}{})", text, to_top, kResults, page_link(path, machine));
  }
};

constexpr const char* kUsage =
    "write <!-- results LESSON MACHINE --> or <!-- sweep LESSON AXIS MACHINE -->, perhaps with "
    "NAME=VALUE before the end";

std::vector<std::string> split(const std::string& text, char at) {
  std::istringstream parts(text);
  std::vector<std::string> all;
  for (std::string part; std::getline(parts, part, at);) all.push_back(part);
  return all;
}

Marker read_marker(const std::string& line) {
  std::istringstream words(line);
  Marker m{line.starts_with("<!-- sweep "), "", "", "", {}, ""};
  std::string word;
  words >> word >> word >> m.path;
  if (m.sweep) words >> m.axis;
  words >> m.machine;
  while (words >> word && word != "-->") {
    const std::size_t equal = word.find('=');
    if (equal == std::string::npos || equal + 1 == word.size()) throw std::runtime_error(kUsage);
    m.options.emplace_back(word.substr(0, equal), split(word.substr(equal + 1), ','));
  }
  if (word != "-->" || m.machine == "-->" || m.machine.find('=') != std::string::npos)
    throw std::runtime_error(kUsage);
  return m;
}

// Whether a lesson is called that: 02_gemm is "gemm".
bool called(const std::string& lesson, const std::string& name) {
  return lesson.ends_with("/" + name) || lesson.ends_with("_" + name);
}

// A lesson's table, or a summary of a chapter or of all. Empty when there are no rows.
report::Document block(const Marker& m) {
  const auto below = [&](const Row& row) {
    return row.sweep.empty() &&
           (m.path == "all" || row.lesson == m.path || row.lesson.starts_with(m.path + "/"));
  };
  const Results part = report::only(*m.results, below);
  if (part.rows.empty()) return {};
  if (part.rows.front().lesson == m.path) {
    Wanted wanted;
    for (const auto& [name, values] : m.options)
      if (name == "columns")
        wanted.columns = values;
      else if (name == "without")
        wanted.without = values;
      else
        wanted.axes.emplace_back(name, values);
    report::Table table = small_table(part, m.path, wanted);
    table.notes += " " + m.link("All cases") + "\n";
    return {table};
  }
  const auto measured = [&](const Results& rows) {
    return report::Sentences{report::provenance(rows, report::compare_command(rows, m.path))};
  };
  if (m.options.empty())
    return {report::summary_table(part, report::Called::by_path), measured(part)};
  const std::vector<std::string>& values = m.options[0].second;
  if (m.options[0].first != "lessons" || m.options.size() > 1)
    throw std::runtime_error("a summary can have lessons=NAME,NAME alone");
  for (const std::string& v : values)
    if (std::none_of(part.rows.begin(), part.rows.end(),
                     [&](const Row& row) { return called(row.lesson, v); }))
      throw std::runtime_error("no lesson is called " + v);
  const Results these = report::only(part, [&](const Row& row) {
    return std::any_of(values.begin(), values.end(),
                       [&](const std::string& v) { return called(row.lesson, v); });
  });
  return {report::summary_table(these, report::Called::in_greeting, m.to_top), measured(these)};
}

report::Document sweep_block(const Marker& m) {
  for (const auto& option : m.options)
    if (option != std::pair{std::string("table"), std::vector<std::string>{"no"}})
      throw std::runtime_error("a sweep can have table=no alone");
  for (const report::Curve& curve : report::curves(*m.results)) {
    if (curve.first().lesson != m.path || curve.first().sweep != m.axis) continue;
    const std::string folder = m.to_top + kResults;
    if (m.options.empty())
      return report::sweep_report(curve, *m.results, {.machine = m.machine, .folder = folder});
    const Results points = report::only(*m.results, [&](const Row& row) { return curve.has(row); });
    return {
        report::figure(curve, *m.results, m.machine, folder),
        report::Sentences{"Measured " + report::days(points) + ". " + m.link("All points") + "\n"}};
  }
  return {};
}

}  // namespace

std::string with_tables(const std::string& readme, const std::string& file,
                        const std::map<std::string, Results>& machines) {
  std::string out, to_top;
  for (std::size_t i = 0, depth = std::count(file.begin(), file.end(), '/'); i < depth; ++i)
    to_top += "../";
  std::istringstream lines(readme);
  bool in_code = false;
  int number = 0, opened = 0;  // line of the block's start; 0 outside
  const auto refuse = [&](int at, const std::string& why) {
    throw Failure(5, fmt::format("{}:{}: {}", file, at, why));
  };
  const auto written = [&](const std::string& line) {
    Marker marker = read_marker(line);
    const std::string stored = kResults + marker.machine + ".json";
    const auto results = machines.find(marker.machine);
    if (results == machines.end()) throw std::runtime_error("there is no " + stored);
    marker.to_top = to_top, marker.results = &results->second;
    std::string text = report::as_markdown(marker.sweep ? sweep_block(marker) : block(marker));
    if (text.empty())
      throw std::runtime_error(
          fmt::format("{} has no {}{}: measure it, or correct the name", stored,
                      marker.sweep ? "sweep of " + marker.axis + " of " : "case of ", marker.path));
    return text;
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool end_mark = line == "<!-- end results -->";
    if (opened) {
      if (!end_mark) continue;
      opened = 0;
    } else if (line.starts_with("```")) {
      in_code = !in_code;
    } else if (end_mark && !in_code) {
      refuse(number, "no <!-- results ... --> or <!-- sweep ... --> before this");
    }
    out += line + "\n";
    if (in_code || !(line.starts_with("<!-- sweep ") || line.starts_with("<!-- results ")))
      continue;
    opened = number;
    try {
      out += "\n" + written(line) + "\n";
    } catch (const std::runtime_error& e) {
      refuse(number, e.what());
    }
  }
  if (opened) refuse(opened, "no <!-- end results --> after this");
  return out;
}

report::Document results_page(const Results& results, const std::string& chapter,
                              const std::string& machine) {
  report::Document d = {
      report::Heading{1, chapter + " on " + results.machine},
      report::Sentences{
          fmt::format("Every case and sweep of [{}](../../{}/README.md). `./workbook report "
                      "--markdown` writes this page from [{}.json]({}.json). Why a row may be "
                      "over 100 % of its roof: [method](../METHOD.md#how-times-are-taken).\n",
                      chapter, chapter, machine, machine)}};
  const report::Document lessons =
      report::measured(results, {.machine = machine, .below = chapter + "/"});
  d.insert(d.end(), lessons.begin(), lessons.end());
  return d;
}

std::string page_link(const std::string& lesson, const std::string& machine) {
  return page_file(lesson, machine) + "#" + report::anchor(lesson);
}

std::map<std::string, Results> stored_results(const fs::path& source) {
  std::map<std::string, Results> machines;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(source / kResults, none))
    if (entry.path().extension() == ".json") {
      Results& results = machines[entry.path().stem().string()];
      results = load_results(entry.path().string());
      report::look_up(results, source);
    }
  return machines;
}

std::map<std::string, std::string> all_pages(const fs::path& source,
                                             const std::map<std::string, Results>& machines) {
  std::map<std::string, std::string> texts;
  const auto add = [&](const fs::path& readme) {
    const std::string name = fs::relative(readme, source).string();
    texts[name] = with_tables(read_file(readme.string()), name, machines);
  };
  if (fs::exists(source / "README.md")) add(source / "README.md");
  for (const fs::path& file : files_of_chapters(source))
    if (file.filename() == "README.md" || file.filename() == "NOTES.md") add(file);
  const std::string gpus = ".github/MACHINES.md";
  if (fs::exists(source / gpus))  // what a class is handed has none
    texts[gpus] = with_gpu_table(read_file((source / gpus).string()), gpus, source);
  for (const auto& [machine, results] : machines)
    for (const Row& row : results.rows) {
      std::string& text = texts[kResults + page_file(row.lesson, machine)];
      const std::string chapter = row.lesson.substr(0, row.lesson.find('/'));
      if (text.empty()) text = report::as_markdown(results_page(results, chapter, machine));
    }
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(source / kResults, none)) {
    const std::string name = kResults + entry.path().filename().string();
    if (entry.path().extension() == ".md" && !texts.contains(name))
      throw Failure(5, name + ": its results are not stored: remove it, or bring them back");
  }
  return texts;
}

}  // namespace wb::pages
