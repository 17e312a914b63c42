#include "classroom/class_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "base/median.h"
#include "report/quantity.h"

namespace wb::classroom {

namespace {

using Rows = std::vector<const Graded*>;

std::string short_name(const std::string& lesson) { return lesson.substr(lesson.find('/') + 1); }

std::string figure_of(double points) { return fmt::format("{:.4g}", points); }

bool graded_here(const Graded& row) { return row.verdict != "cannot grade here"; }

// A folder's name may hold anything.
std::string linked(const std::string& student, const std::string& pages) {
  std::string address;
  for (const unsigned char c : pages + student + ".html")
    address += std::isalnum(c) || std::string_view("-_./").find(static_cast<char>(c)) < 4
                   ? std::string(1, static_cast<char>(c))
                   : fmt::format("%{:02X}", c);
  return pages.empty() ? student : fmt::format("[{}]({})", student, address);
}

// A student a line, an exercise a column.
report::Table who_did_what(const std::map<std::string, Rows>& students,
                           const std::vector<std::string>& lessons, const std::string& pages) {
  report::Table table{{{.head = "student", .left = true}, {.head = "points"}, {.head = "met"}}};
  for (const std::string& lesson : lessons)
    table.columns.push_back({.head = short_name(lesson), .left = true});
  for (const auto& [student, rows] : students) {
    double points = 0;
    const auto met = std::ranges::count(rows, "met", &Graded::verdict);
    for (const Graded* row : rows) points += row->points;
    const bool all = std::ranges::all_of(rows, [](auto* row) { return graded_here(*row); });
    std::vector<std::string> cells = {linked(student, pages),
                                      figure_of(points) + (all ? "" : " + ?"), std::to_string(met)};
    for (const std::string& lesson : lessons) {
      const auto row = std::ranges::find(rows, lesson, &Graded::lesson);
      cells.push_back(row == rows.end() || (*row)->verdict == "not tried" ? "-"
                      : (*row)->verdict == "slow"
                          ? fmt::format("slow, {:.0f}%", std::floor(100 * (*row)->share))
                          : (*row)->verdict);
    }
    table.rows.push_back(cells);
  }
  table.notes =
      "A percentage is the share that was closed of the gap between the exercise as "
      "shipped and its goal.\n";
  return table;
}

report::Table by_exercise(const std::map<std::string, Rows>& lessons,
                          const std::vector<std::string>& order) {
  report::Table table{{{.head = "exercise", .left = true},
                       {.head = "tried"},
                       {.head = "met"},
                       {.head = "slow"},
                       {.head = "neither"},
                       {.head = "median share"},
                       {.head = "mean points"}}};
  for (const std::string& lesson : order) {
    std::vector<double> shares;
    double points = 0;
    std::map<std::string, std::size_t> count;
    for (const Graded* row : lessons.at(lesson)) {
      if (row->verdict == "not tried" || !graded_here(*row)) continue;
      shares.push_back(row->share), points += row->points, ++count[row->verdict];
    }
    const std::size_t tried = shares.size(), met = count["met"], slow = count["slow"];
    const double all = static_cast<double>(std::max<std::size_t>(tried, 1));
    table.rows.push_back({short_name(lesson), std::to_string(tried), std::to_string(met),
                          std::to_string(slow), std::to_string(tried - met - slow),
                          tried ? report::format_percent(median(shares)) : "-",
                          tried ? figure_of(points / all) : "-"});
  }
  return table;
}

// Cheats, flags, and files that more than one student handed in.
report::Table to_look_at(const std::vector<Graded>& all) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> same;
  for (const Graded& row : all)
    if (!row.file.empty() && row.verdict != "not tried")
      same[{row.lesson, row.file}].insert(row.student);
  report::Table table{{{.head = "student", .left = true},
                       {.head = "exercise", .left = true},
                       {.head = "verdict", .left = true},
                       {.head = "why", .left = true}}};
  for (const Graded& row : all) {
    std::vector<std::string> why = row.flags;
    if (row.verdict == "cheats") why.insert(why.begin(), row.reason);
    if (auto others = same[{row.lesson, row.file}]; others.erase(row.student) && !others.empty())
      why.push_back(fmt::format("the same file as {}", fmt::join(others, ", ")));
    if (!why.empty())
      table.rows.push_back({row.student, short_name(row.lesson), row.verdict,
                            fmt::format("{}", fmt::join(why, "; "))});
  }
  return table;
}

report::Table everything(const std::vector<Graded>& all) {
  report::Table table{{{.head = "student", .left = true},
                       {.head = "exercise", .left = true},
                       {.head = "verdict", .left = true},
                       {.head = "share"},
                       {.head = "points"},
                       {.head = "of"},
                       {.head = "reason", .left = true}}};
  for (const Graded& row : all)
    if (row.verdict != "not tried")
      table.rows.push_back({row.student, short_name(row.lesson), row.verdict,
                            graded_here(row) ? report::format_percent(row.share) : "-",
                            graded_here(row) ? figure_of(row.points) : "-", figure_of(row.of),
                            row.reason});
  return table;
}

}  // namespace

report::Document class_page(const std::vector<Graded>& all, const std::string& measured,
                            const std::string& pages) {
  std::map<std::string, Rows> students, lessons;
  std::vector<std::string> order;
  for (const Graded& row : all) {
    students[row.student].push_back(&row);
    if (lessons[row.lesson].empty()) order.push_back(row.lesson);
    lessons[row.lesson].push_back(&row);
  }
  report::Document page = {report::Heading{1, "Class"},
                           report::Sentences{fmt::format("{} students, {} exercises. {}\n",
                                                         students.size(), order.size(), measured)},
                           report::Heading{2, "Who has done what"},
                           who_did_what(students, order, pages),
                           report::Heading{2, "How near each exercise was"},
                           by_exercise(lessons, order),
                           report::Heading{2, "To look at"}};
  const report::Table suspects = to_look_at(all);
  if (suspects.rows.empty())
    page.push_back(report::Sentences{"Nothing was flagged, and no two files are the same.\n"});
  else
    page.push_back(suspects);
  page.insert(page.end(), {report::Heading{2, "Everything that was handed in"}, everything(all)});
  return page;
}

}  // namespace wb::classroom
