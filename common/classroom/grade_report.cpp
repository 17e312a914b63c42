// What grade shows and writes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pattern.h"
#include "classroom/class_page.h"
#include "classroom/grade.h"

namespace wb::classroom {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string word(const json& row, const char* field) { return clean(row[field]); }

// At most two decimals and no zeros behind them: "10.000" is ten thousand in a German spreadsheet.
// What could not be graded has none.
std::string figure(const json& value) {
  if (!value.is_number()) return "";
  std::string text = fmt::format("{:.2f}", value.get<double>());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string points_of(const json& row) {
  return row["points"].is_null() ? "" : figure(row["points"]) + " of " + figure(row["of"]);
}

// A spreadsheet runs a cell that begins with one of these as a formula, unless it has an
// apostrophe.
std::string as_text_cell(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && std::string_view("=+-@").find(text[first]) < 4 ? "'" + text
                                                                                      : text;
}

std::string flags_in(const json& row) {
  std::string all;
  for (const json& flag : row["flags"])
    all += (all.empty() ? "" : "; ") + clean(flag.get<std::string>());
  return all;
}

std::string why(const json& row) {
  const std::string flags = flags_in(row), reason = word(row, "reason");
  return reason +
         (flags.empty() ? "" : (reason.empty() ? "please look: " : "; please look: ") + flags);
}

// Below a row the reason for its verdict.
report::Table table_of(const std::vector<json>& rows) {
  report::Table table{{{"student", true}, {"exercise", true}, {"verdict", true}, {"points"}}};
  std::set<std::string> named;
  for (const json& row : rows)
    if (row["verdict"] != "not tried") {
      table.rows.push_back(
          {word(row, "student"), word(row, "lesson"), word(row, "verdict"), points_of(row)});
      if (const std::string reason = why(row); !reason.empty()) table.rows.push_back({"", reason});
      named.insert(word(row, "student"));
    }
  // Who tried nothing has a line, too.
  for (const json& row : rows)
    if (named.insert(word(row, "student")).second)
      table.rows.push_back({word(row, "student"), "all", "not tried", "0"});
  return table;
}

report::Table skipped(const Grades& grades) {
  report::Table table{{{"name", true}, {"why it is skipped", true}}};
  for (const json& one : grades.value("skipped", json::array()))
    table.rows.push_back({word(one, "name"), "it " + word(one, "why")});
  return table;
}

// Folders that were skipped come last: a list of grades shows that they are there.
report::Table raw(const Grades& grades) {
  const json& rows = grades["rows"];
  report::Table table;
  for (const char* head : {"student", "lesson", "backend", "verdict", "points", "of", "share",
                           "file", "reason", "flags"})
    table.columns.push_back({head});
  for (const json& row : rows)
    table.rows.push_back({as_text_cell(word(row, "student")), word(row, "lesson"),
                          word(row, "backend"), word(row, "verdict"), figure(row["points"]),
                          figure(row["of"]), figure(row["share"]), word(row, "file"),
                          as_text_cell(word(row, "reason")), as_text_cell(flags_in(row))});
  for (const json& one : grades.value("skipped", json::array()))
    table.rows.push_back({as_text_cell(word(one, "name")), "", "", "skipped", "", "", "", "",
                          as_text_cell(word(one, "why")), ""});
  return table;
}

std::string xml(const std::string& text) {
  return report::for_markup(replace_pattern(text, "\xef\xbf[\xbe\xbf]", "?"));
}

// Met passes, what was not tried or cannot be graded here is skipped, the rest fails.
std::string junit(const json& rows) {
  std::map<std::string, std::string> suites;
  for (const json& row : rows) {
    const std::string verdict = row["verdict"];
    std::string& suite = suites[word(row, "student")];
    suite += fmt::format("  <testcase classname=\"{}\" name=\"{}\">", xml(word(row, "student")),
                         xml(word(row, "lesson") + "/" + word(row, "backend")));
    const std::string message = fmt::format(" message=\"{}\"/>", xml(verdict + ": " + why(row)));
    if (verdict == "not tried" || verdict == "cannot grade here")
      suite += "<skipped" + message;
    else if (verdict != "met")
      suite += "<failure" + message;
    suite += "</testcase>\n";
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& [student, cases] : suites)
    text += fmt::format("<testsuite name=\"{}\">\n{}</testsuite>\n", xml(student), cases);
  return text + "</testsuites>\n";
}

// results.json of https://gradescope-autograders.readthedocs.io, which is of one student.
json gradescope(const json& rows) {
  json tests = json::array();
  for (const json& row : rows)
    tests.push_back({{"name", word(row, "lesson") + " (" + word(row, "backend") + ")"},
                     {"score", row["points"]},
                     {"max_score", row["of"]},
                     {"status", row["verdict"] == "met" ? "passed" : "failed"},
                     {"output", word(row, "verdict") + ". " + word(row, "reason")},
                     {"visibility", "visible"}});
  return {{"tests", tests}};
}

// What the verdicts of one student rest on.
report::Document evidence(const std::string& student, const std::vector<json>& rows,
                          const Grades& grades) {
  report::Document page = {report::Heading{1, student}, table_of(rows)};
  for (const json& row : rows) {
    if (row["verdict"] == "not tried") continue;
    page.push_back(report::Heading{2, word(row, "lesson") + ": " + word(row, "verdict")});
    std::string lines;
    for (const json& line : row["evidence"]) lines += clean(line) + "\n";
    for (const json& goal : row["goals"])
      if (goal["variant"] != "")
        lines += fmt::format(
            "{}: {:.3g} (at least {:.3g}) of its speed; {:.3g} as shipped; {:.0f}% of the way\n",
            goal["text"].get<std::string>(), goal["ratio"].get<double>(), goal["low"].get<double>(),
            goal["shipped"].get<double>(), 100 * goal["share"].get<double>());
    page.push_back(report::Sentences{lines + why(row) + "\nfile " + word(row, "file"), true});
  }
  page.push_back(report::Sentences{
      fmt::format("Graded {} against commit {}, sandbox: {}.", word(grades, "date"),
                  word(grades, "commit").substr(0, 7), word(grades, "sandbox"))});
  return page;
}

std::vector<Graded> graded(const json& rows) {
  std::vector<Graded> all;
  for (const json& row : rows)
    all.push_back({.student = word(row, "student"),
                   .lesson = word(row, "lesson"),
                   .verdict = word(row, "verdict"),
                   .reason = word(row, "reason"),
                   .file = word(row, "file"),
                   .points = row["points"].is_null() ? 0 : row["points"].get<double>(),
                   .of = row["of"],
                   .share = row["share"].is_null() ? 0 : row["share"].get<double>(),
                   .flags = row["flags"]});
  return all;
}

// The page of the class, which leads to the students' own if these are written, too.
std::string page_of_class(const Grades& grades, const std::string& file, const std::string& pages) {
  const auto place = fs::absolute(file).parent_path();
  const std::string not_held = word(grades, "not_held");
  report::Document page =
      class_page(graded(grades["rows"]),
                 fmt::format("Graded {} on {} against commit {}, sandbox: {}{}.",
                             word(grades, "date"), clean(grades.value("machine", "this machine")),
                             word(grades, "commit").substr(0, 7), word(grades, "sandbox"),
                             not_held.empty() ? "" : "; not held: " + not_held),
                 pages.empty() ? "" : (fs::proximate(fs::absolute(pages), place) / "").string());
  if (report::Table not_read = skipped(grades); !not_read.rows.empty())
    page.insert(page.end(), {report::Heading{2, "Not graded"}, std::move(not_read)});
  return report::as_html(page, "Class");
}

}  // namespace

void write_grades(const Grades& as_found, const driver::RunOptions& options,
                  const GradeOptions& grade) {
  // What compilers and students wrote may not be UTF-8; from here on it is.
  const Grades grades = json::parse(as_found.dump(-1, ' ', false, json::error_handler_t::replace));
  const json& rows = grades["rows"];
  std::map<std::string, std::vector<json>> students;
  for (const json& row : rows) students[word(row, "student")].push_back(row);
  put(report::as_text({table_of(rows)}, report::Style::screen(false)));
  const report::Table not_read = skipped(grades);
  if (!not_read.rows.empty()) put(report::as_text({not_read}, report::Style::screen(false)));
  std::map<std::string, int> verdicts;
  for (const json& row : rows) ++verdicts[word(row, "verdict")];
  std::string summary;
  for (const auto& [verdict, count] : verdicts)
    summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", count, verdict);
  print("{} student{}, {} exercise{}: {}\n", students.size(), students.size() == 1 ? "" : "s",
        rows.size(), rows.size() == 1 ? "" : "s", summary);

  const auto write = [](const std::string& file, const std::string& text) {
    if (!file.empty()) write_atomically(file, text);
  };
  write(options.json, grades.dump(1) + "\n");
  write(options.csv, report::as_csv(raw(grades)));
  if (!options.html.empty()) write(options.html, page_of_class(grades, options.html, grade.pages));
  write(grade.junit, junit(rows));
  // Gradescope would count what is left out as nothing.
  if (std::ranges::none_of(rows, [](const json& row) { return row["points"].is_null(); }))
    write(grade.gradescope, dump_json(gradescope(rows)));
  if (grade.pages.empty()) return;
  fs::create_directories(grade.pages);
  for (const auto& [student, own] : students)
    write((fs::path(grade.pages) / (student + ".html")).string(),
          report::as_html(evidence(student, own, grades), student));
}

}  // namespace wb::classroom
