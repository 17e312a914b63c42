// list and peaks.
#include "driver/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/alive.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/exercise.h"
#include "report/about.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

void print_line(const std::string& line) { print("{}\n", line); }

std::string roles(const Lesson& lesson, const std::string& backend) {
  std::vector<std::string> names;
  for (const auto& [variant, b] : lesson.variants)
    if (b == backend) names.push_back(variant);
  std::sort(names.begin(), names.end(), lesson_order);
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, " "));
}

// Its cases and axes, as its program says.
std::string cases(const Catalogue& catalogue, const Selection& selection,
                  const RunOptions& options) {
  std::vector<std::string> command = lesson_command(catalogue, selection, options);
  command.push_back("--list");
  std::string lines, why;
  const Outcome outcome = run_process(
      command, options.time_limit, [&](const std::string& line) { lines += "  " + line + "\n"; },
      [&](const std::string& line) { why = ": " + line; });
  const std::string failed = selection.lesson->program + " could not list its cases";
  if (outcome.signal) throw Failure(4, failed + why);
  if (outcome.code == 127) throw Failure(3, failed + ": it is not built");
  if (outcome.code) throw Failure(outcome.code, failed + why);
  return lines;
}

// What --op, --size, --dtype and --axis find, under the lessons that have it.
int list_cases(const Catalogue& catalogue, const std::vector<Selection>& selections,
               const RunOptions& options) {
  std::string why;
  bool found = false;
  for (const Selection& s : selections) try {
      const std::string lines = cases(catalogue, s, options);
      found = true;
      print("{}\n{}", s.lesson->path, lines.substr(0, lines.find("  --")));
    } catch (const Failure& e) {
      if (e.code != 2) throw;
      why = e.what();  // this lesson has no such case
    }
  if (!found) throw Failure(2, selections.size() == 1 ? why : "no lesson has such a case");
  print("\n./workbook run takes the same flags\n");
  return 0;
}

}  // namespace

int run_list(const Catalogue& catalogue, const RunOptions& options) {
  const std::vector<Selection> selections = select(catalogue, options);
  if (!options.choice.any_case()) return list_cases(catalogue, selections, options);
  if (options.names.empty()) list_pages(catalogue);
  for (const Selection& s : selections) {
    const std::string& path = s.lesson->path;
    const std::string listed = cases(catalogue, s, options);
    const About about = report::about_lesson(catalogue.source, path);
    print("{}\n", path);
    if (!about.title.empty())
      print("  {}{}{}\n", about.title, about.question.empty() ? "" : ": ", about.question);
    if (!about.takes.empty()) print("  takes {}\n", about.takes);
    for (const BuiltBackend& b : catalogue.backends) {
      print("  {}: {}\n", b.name, roles(*s.lesson, b.name));
      for (const Exercise& e : exercises(catalogue, b.name))
        if (e.lesson == s.lesson)
          for (const std::string& goal : goal_texts(e, about.case_names))
            print("  {}: {}\n", e.file.filename().string(), goal);
    }
    print("{}", listed);
  }
  return 0;
}

int run_peaks(const Catalogue& catalogue, const RunOptions& options) {
  if (!fs::exists(catalogue.bin / "peaks"))
    throw Failure(1, "peaks is not built: its compiler's message is above");
  std::vector<std::string> command = split_words(options.launcher);
  command.insert(command.end(), {(catalogue.bin / "peaks").string(), "--force",
                                 "--backend=" + options.choice.backend});
  std::string why = "nothing was measured";
  Alive alive("measuring");
  const auto on_error = [&](const std::string& line) {
    if (line.starts_with("peaks: "))
      why = line.substr(7);
    else
      alive.aside([&] { tell("{}", line); });
  };
  const auto on_output = [&](const std::string& line) { alive.aside([&] { print_line(line); }); };
  const Outcome outcome = run_process(command, options.time_limit, on_output, on_error);
  if (outcome.timed_out || outcome.signal)
    throw Failure(4, fmt::format("peaks {}", outcome.timed_out ? "ran past the time limit"
                                                               : strsignal(outcome.signal)));
  if (outcome.code == 127)
    throw Failure(3, "could not start " + command.front() + ": is it installed?");
  if (outcome.code) throw Failure(outcome.code, why);
  return 0;
}

}  // namespace wb::driver
