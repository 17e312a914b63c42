// run, compare, roofline and timeline: what measures lessons, or reads files of results.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/commands.h"
#include "cli/readme.h"
#include "harness/failure.h"
#include "report/json.h"
#include "report/plot.h"
#include "report/sweep.h"
#include "report/timeline.h"

namespace wb {

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

// What is wrong with the outputs is said now, not after minutes of measuring.
void check_outputs(const RunOptions& options, bool needs_gnuplot) {
  for (const std::string& path :
       {options.json, options.csv, options.markdown, options.svg, options.png})
    check_writable(path);
  if (needs_gnuplot && !(options.svg.empty() && options.png.empty())) require_gnuplot();
}

std::vector<Selection> lessons_for(const Catalogue& catalogue, const RunOptions& options) {
  std::vector<Selection> selections = select(catalogue, options.names);
  if (options.backend != "auto") {
    if (options.backend == "cuda" && !catalogue.cuda)
      throw Failure(
          3, "this build has no CUDA variants: ./workbook --backend=cuda builds them, with nvcc");
    std::erase_if(selections,
                  [&](const Selection& s) { return !s.lesson->has("", options.backend); });
  }
  if (selections.empty())
    throw Failure(2, "no lesson with " + options.backend + " variants is chosen");
  return selections;
}

bool from_files(const RunOptions& options) {
  const auto files = std::count_if(options.names.begin(), options.names.end(),
                                   [](const std::string& name) { return name.ends_with(".json"); });
  if (files > 0 && files < std::ssize(options.names))
    throw Failure(2, "name lessons to measure or files of results (.json), not both");
  return files > 0;
}

// Measures the lessons, or reads the files that are named in their place.
Run measure(const Catalogue& catalogue, const RunOptions& options,
            const std::function<void(const Results&)>& on_lesson) {
  if (!from_files(options))
    return run_lessons(catalogue, lessons_for(catalogue, options), options, false, on_lesson);
  Run run;
  for (const std::string& file : options.names) merge(run.results, load_results(file));
  on_lesson(run.results);
  return run;
}

// The roofline of each backend, or each curve of a sweep: to a file, the second one's name with its
// backend.
void write_pictures(const Results& results, const std::string& path, Picture picture) {
  if (path.empty()) return;
  bool first = true;
  const auto write = [&](const std::string& drawn, const std::string& backend) {
    if (drawn.empty()) return;
    std::filesystem::path file = path;
    if (!first)
      file.replace_filename(file.stem().string() + "-" + backend + file.extension().string());
    write_atomically(file, drawn);
    first = false;
  };
  for (const Ceilings& c : results.ceilings)
    write(roofline(results, c.device.backend, picture), c.device.backend);
  for (const Curve& curve : curves(results))
    write(curve_plot(curve, results, picture), curve.first().backend);
  if (first) throw Failure(1, "nothing to draw in " + path + ": no row has a speed and ceilings");
}

void print_curves(const Results& results) {
  try {
    for (const Curve& curve : curves(results))
      fmt::print("{}\n",
                 curve_plot(curve, results, Picture::terminal, std::min(terminal_width(), 120)));
  } catch (const MissingTool& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
}

void print_roofline(const Results& results) {
  try {
    for (const Ceilings& c : results.ceilings)
      fmt::print("{}\n", roofline(results, c.device.backend, Picture::terminal,
                                  std::min(terminal_width(), 120)));
  } catch (const MissingTool& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
}

void write_outputs(const RunOptions& options, const Results& results, const std::string& command) {
  if (!options.json.empty()) write_atomically(options.json, to_json(results));
  if (!options.csv.empty()) write_atomically(options.csv, csv(results));
  if (!options.markdown.empty()) {
    std::string text;
    Results lesson = results;
    for (const Row& row : results.rows) {  // a heading and its tables for each lesson
      if (text.find("\n## " + row.lesson + "\n") != std::string::npos) continue;
      lesson.rows.clear();
      std::copy_if(results.rows.begin(), results.rows.end(), std::back_inserter(lesson.rows),
                   [&](const Row& r) { return r.lesson == row.lesson; });
      text += "\n## " + row.lesson + "\n\n" +
              lesson_report(lesson, Style::markdown, "`" + command + "`");
    }
    write_atomically(options.markdown,
                     "# Results\n\n" + summary_table(results, Style::markdown) + text);
  }
  write_pictures(results, options.svg, Picture::svg);
  write_pictures(results, options.png, Picture::png);
}

}  // namespace

int run_compare(const Catalogue& catalogue, const RunOptions& options, bool summary,
                const std::string& command_line) {
  check_outputs(options, true);
  // The target keeps what it has until all is measured; what is done by then is not lost either.
  std::error_code ignored;
  const auto target = std::filesystem::symlink_status(options.json, ignored);
  const bool plain = is_regular_file(target) || !exists(target);  // not /dev/stdout
  const std::string partial =
      options.json.empty() || !plain || from_files(options) ? "" : options.json + ".partial";
  Results so_far;
  Run run;
  try {
    run = measure(catalogue, options, [&](const Results& lesson) {
      fmt::print("{}\n", lesson_report(lesson, Style::text, command_line));
      std::fflush(stdout);
      if (partial.empty()) return;
      merge(so_far, lesson);
      write_atomically(partial, to_json(so_far));
    });
  } catch (const Failure& failure) {
    if (partial.empty() || so_far.rows.empty()) throw;
    throw Failure(failure.code,
                  fmt::format("{}: what was measured is in {}", failure.what(), partial));
  }
  if (summary) {
    fmt::print("{}{}\n", summary_table(run.results, Style::text),
               provenance(run.results, command_line));
    if (options.only_first())
      fmt::print("Each lesson's first case. All of them: ./workbook compare LESSON or CHAPTER\n\n");
    print_roofline(run.results);
  }
  print_curves(run.results);
  write_outputs(options, run.results, command_line);
  if (!partial.empty()) std::filesystem::remove(partial, ignored);
  return run.code;
}

int run_roofline(const Catalogue& catalogue, const RunOptions& options) {
  check_outputs(options, true);
  require_gnuplot();
  Run run = measure(catalogue, options, [](const Results&) {});
  // Here the points of a sweep are places on the roofline, like cases.
  if (!options.sweep.empty())
    for (Row& row : run.results.rows) row.sweep.clear();
  print_roofline(run.results);
  write_outputs(options, run.results, "./workbook roofline");
  return run.code;
}

int run_timeline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& trace_file) {
  check_outputs(options, false);
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
      fmt::print("{}/{} {}: no timeline: {}{}{}\n", row.lesson, row.variant, row.label, row.error,
                 row.skipped, row.no_goodput);
  if (!options.svg.empty()) write_atomically(options.svg, timeline_svg(run.traces));
  if (!trace_file.empty()) write_atomically(trace_file, chrome_trace(run.traces));
  return run.code;
}

}  // namespace wb
