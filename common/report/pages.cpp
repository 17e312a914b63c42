#include "report/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/failure.h"
#include "report/explain.h"
#include "report/sweep.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

// Of the run that a row is of.
std::string flags(const Row& row) {
  return " --backend=" + row.backend + (row.cache == "hot" ? " --cache=hot" : "");
}

// The tables of what lies at and below a path: a lesson, a chapter, or "all".
std::string block(const Results& results, const std::string& path) {
  const Results part = only(results, [&](const Row& row) {
    return row.sweep.empty() &&
           (path == "all" || row.lesson == path || row.lesson.starts_with(path + "/"));
  });
  if (part.rows.empty()) return "";
  const Row& first = part.rows.front();
  std::string command = "`./workbook compare" + (path == "all" ? "" : " " + path) + flags(first);
  const auto peer = std::find_if(part.rows.begin(), part.rows.end(), is_peer);
  if (peer != part.rows.end()) command += " --peer " + peer->variant;
  command += "`";
  if (first.lesson == path) return lesson_report(part, Style::markdown, command);
  return summary_table(part, Style::markdown) + "\n" + provenance(part, command);
}

// A picture, its table and the knee.
std::string sweep_block(const Results& results, const std::string& lesson, const std::string& axis,
                        const std::string& machine, const std::string& to_results) {
  for (const Curve& curve : curves(results)) {
    const Row& first = curve.first();
    if (first.lesson != lesson || first.sweep != axis) continue;
    std::istringstream knees(curve_summary(curve, results));
    std::string lines;
    for (std::string knee; std::getline(knees, knee);) lines += "* " + knee + "\n";
    return fmt::format("![{} by {}]({}/{})\n\n{}\n{}{}", lesson, axis, to_results,
                       curve_file(lesson, axis, machine),
                       curve_table(curve, results, Style::markdown), lines,
                       lines.empty() ? "" : "\n") +
           provenance(only(results, [&](const Row& row) { return curve.has(row); }),
                      fmt::format("`./workbook run {} --sweep {}{}`", lesson, axis, flags(first)));
  }
  return "";
}

}  // namespace

std::string curve_file(const std::string& lesson, const std::string& axis,
                       const std::string& machine) {
  std::string name = lesson.substr(lesson.find('/') + 1);
  std::replace(name.begin(), name.end(), '/', '_');
  return fmt::format("{}_{}_{}.svg", machine, name, axis);
}

std::string lesson_report(const Results& results, Style style, const std::string& command) {
  const bool markdown = style == Style::markdown;
  std::string out;
  for (const SideBySide& c : side_by_side(results)) {
    const Row& first = c.first();
    const std::string title = label(first.axes) + (first.cache == "hot" ? ", hot cache" : "");
    out += markdown ? fmt::format("**{}**\n\n", title)
                    : fmt::format("{} {} {}\n", first.lesson, first.backend, title);
    out += case_table(c, results, style) + "\n" + explain(c, results) + "\n";
    if (!markdown) out += goodput_lines(c, results) + "\n";
  }
  for (const Curve& c : curves(results)) {
    if (!markdown)
      out += fmt::format("{} {} by {}\n", c.first().lesson, c.first().backend, c.first().sweep);
    out += curve_table(c, results, style) + "\n" + curve_summary(c, results) + "\n";
  }
  return out + provenance(results, command);
}

std::string with_tables(const std::string& readme, const std::string& file,
                        const std::map<std::string, Results>& machines) {
  std::string out, to_results = "common/results";
  for (std::size_t i = 0, depth = std::count(file.begin(), file.end(), '/'); i < depth; ++i)
    to_results = "../" + to_results;
  std::istringstream lines(readme);
  bool in_code = false;
  int number = 0, opened = 0;  // line of the block's start; 0 outside
  const auto refuse = [&](int at, const std::string& why) {
    throw Failure(5, fmt::format("{}:{}: {}", file, at, why));
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
    const bool sweep = line.starts_with("<!-- sweep ");
    if (in_code || !(sweep || line.starts_with("<!-- results "))) continue;
    std::istringstream words(line);
    std::string path, axis, machine, end;
    words >> end >> end >> path;
    if (sweep) words >> axis;
    words >> machine >> end;
    if (end != "-->")
      refuse(number, "write <!-- results LESSON MACHINE --> or <!-- sweep LESSON AXIS MACHINE -->");
    opened = number;
    const auto results = machines.find(machine);
    if (results == machines.end())
      refuse(number, fmt::format("there is no common/results/{}.json", machine));
    const std::string text = sweep ? sweep_block(results->second, path, axis, machine, to_results)
                                   : block(results->second, path);
    if (text.empty())
      refuse(number, fmt::format("common/results/{}.json has no {}{}{}", machine,
                                 sweep ? "sweep of " + axis + " of " : "case of ", path,
                                 ": measure it, or correct the name"));
    out += "\n" + text + "\n";
  }
  if (opened) refuse(opened, "no <!-- end results --> after this");
  return out;
}

std::vector<fs::path> readmes(const fs::path& source) {
  std::vector<fs::path> files;
  if (fs::exists(source / "README.md")) files.push_back(source / "README.md");
  for (const auto& chapter : fs::directory_iterator(source)) {
    if (!chapter.is_directory() || !chapter.path().filename().string().starts_with("ch")) continue;
    for (const auto& entry : fs::recursive_directory_iterator(chapter.path()))
      if (entry.path().filename() == "README.md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace wb
