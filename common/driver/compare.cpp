// run, compare, roofline and timeline: what measures lessons, or reads files of results.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/failure.h"
#include "base/files.h"
#include "driver/commands.h"
#include "model/results.h"
#include "report/pages.h"
#include "report/plot.h"
#include "report/sweep.h"
#include "report/timeline.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

int terminal_width() {
  winsize size = {};
  return ::ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

bool colour() {
  const char* off = std::getenv("NO_COLOR");  // https://no-color.org
  const char* terminal = std::getenv("TERM");
  return ::isatty(1) && !(off && *off) && !(terminal && std::string(terminal) == "dumb");
}

std::vector<Selection> lessons_for(const Catalogue& catalogue, const RunOptions& options) {
  std::vector<Selection> selections = select(catalogue, options.names);
  if (options.choice.backend != "auto")
    std::erase_if(selections,
                  [&](const Selection& s) { return !s.lesson->has("", options.choice.backend); });
  if (selections.empty())
    throw Failure(2, "no lesson with " + options.choice.backend + " variants is chosen");
  return selections;
}

bool from_files(const RunOptions& options) {
  const auto files = std::count_if(options.names.begin(), options.names.end(),
                                   [](const std::string& name) { return name.ends_with(".json"); });
  if (files > 0 && files < std::ssize(options.names))
    throw Failure(2, "name lessons to measure or files of results (.json), not both");
  return files > 0;
}

// The roofline of each backend, and each curve of a sweep. The first picture has the name that was
// asked for, the others have theirs behind it.
void write_pictures(const Results& results, const std::string& path, Picture picture) {
  if (path.empty()) return;
  bool first = true;
  const auto write = [&](const std::string& drawn, const fs::path& own) {
    if (drawn.empty()) return;
    fs::path file = path;
    if (!first)
      file.replace_filename(file.stem().string() + "-" + own.stem().string() +
                            file.extension().string());
    write_atomically(file, drawn);
    if (!first) fmt::print(stderr, "written, too: {}\n", file.string());
    first = false;
  };
  for (const Ceilings& c : results.ceilings)
    write(roofline(results, c.device.backend, picture), c.device.backend);
  for (const Curve& curve : curves(results)) {
    const Row& row = curve.first();
    write(curve_plot(curve, results, picture), curve_file(row.lesson, row.sweep, row.backend));
  }
  if (first) throw Failure(1, "nothing to draw in " + path + ": no row has a speed and ceilings");
}

// On the terminal and into files. A drawing that fails on the terminal fails nothing else.
void draw(const Results& results, bool rooflines, const RunOptions& options) {
  const int width = std::min(terminal_width(), 120);
  try {
    if (rooflines)
      for (const Ceilings& c : results.ceilings)
        fmt::print("{}\n", roofline(results, c.device.backend, Picture::terminal, width));
    for (const Curve& curve : curves(results))
      fmt::print("{}\n", curve_plot(curve, results, Picture::terminal, width));
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
  write_pictures(results, options.svg, Picture::svg);
  write_pictures(results, options.png, Picture::png);
}

std::string markdown(const Results& results, const std::string& command) {
  std::string text = "# Results\n\n";
  if (!side_by_side(results).empty()) text += summary_table(results, Style::markdown);
  std::set<std::string> seen;  // a heading and its tables for each lesson
  for (const Row& row : results.rows) {
    if (!seen.insert(row.lesson).second) continue;
    const Results lesson = only(results, [&](const Row& r) { return r.lesson == row.lesson; });
    text +=
        "\n## " + row.lesson + "\n\n" + lesson_report(lesson, Style::markdown, "`" + command + "`");
  }
  return text;
}

// Measures, or reads files, and writes the results before anything is drawn of them. The target of
// --json keeps what it has until all is measured; what is done by then is in a file beside it.
Run measure_and_keep(const Catalogue& catalogue, const RunOptions& options,
                     const std::string& command,
                     const std::function<void(const Results&)>& on_lesson) {
  // What is wrong with the outputs is said now, not after minutes of measuring.
  for (const std::string& path :
       {options.json, options.csv, options.markdown, options.svg, options.png})
    check_writable(path);
  if (!(options.svg.empty() && options.png.empty())) require_gnuplot();
  const bool files = from_files(options);
  std::error_code ignored;
  const auto target = fs::symlink_status(options.json, ignored);
  const bool plain = is_regular_file(target) || !exists(target);  // not /dev/stdout
  const std::string partial =
      options.json.empty() || !plain || files ? "" : options.json + ".partial";
  Results so_far;
  Run run;
  try {
    if (files) {
      for (const std::string& file : options.names) merge(run.results, load_results(file));
      on_lesson(run.results);
    } else {
      const auto keep = [&](const Results& lesson) {
        on_lesson(lesson);
        if (partial.empty()) return;
        merge(so_far, lesson);
        write_atomically(partial, to_json(so_far));
      };
      run = run_lessons(catalogue, lessons_for(catalogue, options), options, false, keep);
    }
    if (!options.json.empty()) write_atomically(options.json, to_json(run.results));
  } catch (const std::exception& e) {
    if (partial.empty() || so_far.rows.empty()) throw;
    const auto* failure = dynamic_cast<const Failure*>(&e);
    throw Failure(failure ? failure->code : 5,
                  fmt::format("{}: what was measured is in {}", e.what(), partial));
  }
  if (!partial.empty()) fs::remove(partial, ignored);
  if (!options.csv.empty()) write_atomically(options.csv, csv(run.results));
  if (!options.markdown.empty()) write_atomically(options.markdown, markdown(run.results, command));
  return run;
}

}  // namespace

int run_compare(const Catalogue& catalogue, const RunOptions& options, bool summary,
                const std::string& command_line) {
  const Run run = measure_and_keep(catalogue, options, command_line, [&](const Results& lesson) {
    fmt::print("{}\n", lesson_report(lesson, Style::text, command_line));
    std::fflush(stdout);
  });
  if (summary)
    fmt::print("{}{}\n", summary_table(run.results, Style::text),
               provenance(run.results, command_line));
  if (summary && options.only_first())
    fmt::print("Each lesson's first case. All of them: ./workbook compare LESSON or CHAPTER\n\n");
  draw(run.results, summary, options);
  return run.code;
}

int run_roofline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& command_line) {
  require_gnuplot();
  Run run = measure_and_keep(catalogue, options, command_line, [](const Results&) {});
  for (Row& row : run.results.rows) {
    if (!has_speed(row))
      fmt::print(stderr, "{}/{} {}: {}\n", row.lesson, row.variant, label(row.axes), trouble(row));
    row.sweep.clear();  // here the points of a sweep are places on the roofline, like cases
  }
  draw(run.results, true, options);
  return run.code;
}

int run_timeline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& trace_file) {
  check_writable(options.svg);
  check_writable(trace_file);
  std::vector<Selection> selections = lessons_for(catalogue, options);
  for (Selection& s : selections)
    if (s.variants.empty() && s.lesson->has("baseline") && s.lesson->has("optimized"))
      s.variants = {"baseline", "optimized"};
  const Run run = run_lessons(catalogue, selections, options, true, [](const Results&) {});
  for (const TracedRow& row : run.traces)
    fmt::print("{}\n", draw_timeline(row, std::min(terminal_width(), 160), colour()));
  for (const Row& row : run.results.rows)
    if (!row.split)
      fmt::print("{}/{} {}: no timeline: {}{}\n", row.lesson, row.variant, label(row.axes),
                 row.reason, row.no_goodput);
  if (!options.svg.empty()) write_atomically(options.svg, timeline_svg(run.traces));
  if (!trace_file.empty()) write_atomically(trace_file, chrome_trace(run.traces));
  return run.code;
}

}  // namespace wb
