// run, compare, roofline and timeline: what measures lessons, or reads files of results.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/commands.h"
#include "driver/judge.h"
#include "driver/progress.h"
#include "model/results.h"
#include "report/about.h"
#include "report/against.h"
#include "report/gnuplot.h"
#include "report/measured.h"
#include "report/table.h"
#include "report/timeline.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

std::vector<Selection> lessons_for(const Catalogue& catalogue, const RunOptions& options) {
  std::vector<Selection> selections = select(catalogue, options);
  std::erase_if(selections,
                [](const Selection& s) { return s.lesson->hunt() && s.variants.empty(); });
  if (options.choice.backend != "auto")
    std::erase_if(selections,
                  [&](const Selection& s) { return !s.lesson->has("", options.choice.backend); });
  if (selections.empty())
    throw Failure(2, "none of these lessons has " + options.choice.backend + " variants");
  return selections;
}

bool from_files(const RunOptions& options) {
  const auto files = std::count_if(options.names.begin(), options.names.end(),
                                   [](const std::string& name) { return name.ends_with(".json"); });
  if (files > 0 && files < std::ssize(options.names))
    throw Failure(2, "name lessons to measure or files of results (.json), not both");
  return files > 0;
}

// The first picture has the name that was asked for, the others have theirs behind it.
void write_pictures(const Results& results, const std::string& path, report::Picture picture) {
  if (path.empty()) return;
  bool first = true;
  for (const report::Figure& figure : report::figures(results)) {
    const std::string drawn = figure.draw(picture, 100);
    if (drawn.empty()) continue;
    fs::path file = path;
    if (!first)
      file.replace_filename(file.stem().string() + "-" + fs::path(figure.file).stem().string() +
                            file.extension().string());
    write_atomically(file, drawn);
    if (!first) tell("also written: {}", file.string());
    first = false;
  }
  if (first) throw Failure(1, "nothing to draw in " + path + ": no row has a speed and ceilings");
}

// `shown` on the terminal, and all into files. A drawing that fails on the terminal fails nothing
// else.
void draw(const Results& shown, const Results& results, bool rooflines, const RunOptions& options) {
  try {
    for (const report::Figure& figure : report::figures(shown))
      if (rooflines || figure.title != "roofline")
        put(report::as_text({figure}, report::Style::screen(options.choice.wide)));
  } catch (const std::exception& e) {
    throw_if_interrupted();
    tell("{}", e.what());
  }
  write_pictures(results, options.svg, report::Picture::svg);
  write_pictures(results, options.png, report::Picture::png);
}

report::Document whole(const Results& results, const std::string& command, bool pictures) {
  report::Document d = {report::Heading{1, "Results"}};
  if (!report::side_by_side(results).empty())
    d.push_back(report::summary_table(results, report::Called::by_path));
  if (pictures)
    for (const report::Figure& figure : report::figures(results)) d.push_back(figure);
  const report::Document lessons = report::measured(results, {.command = "`" + command + "`"});
  d.insert(d.end(), lessons.begin(), lessons.end());
  return d;
}

// Says what is wrong with the outputs now, not after minutes of measuring.
void check_outputs(const std::vector<std::string>& paths) {
  std::set<fs::path> files;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    std::error_code ignored;
    const fs::path file = fs::weakly_canonical(fs::absolute(path), ignored);
    if (!fs::is_other(file, ignored) && !files.insert(file).second)  // /dev/stdout takes several
      throw Failure(2, path + " is named for two outputs: give each a file of its own");
    check_writable(path);
  }
}

// Stands for what a lesson did not come to.
bool broke_off(const Row& row) {
  return role_of(row.variant) == VariantRole::program || row.status == Status::crashed ||
         row.status == Status::hung || row.status == Status::not_built;
}

// What is done of a run, in a file beside the target of --json, which keeps what it has until all
// is measured.
class Partial {
 public:
  explicit Partial(const std::string& target) {
    std::error_code ignored;
    const auto status = fs::symlink_status(target, ignored);
    const bool plain = is_regular_file(status) || !exists(status);  // not /dev/stdout
    if (!target.empty() && plain) path_ = target + ".partial";
  }
  // What an earlier run has of whole lessons, in such a file or in the target itself.
  Results earlier(const std::string& target) {
    const std::string& from = fs::exists(path_) ? path_ : target;
    if (path_.empty() || !fs::exists(from)) return {};
    const Results all = load_results(from);
    std::set<std::string> broken;
    for (const Row& row : all.rows)
      if (broke_off(row)) broken.insert(row.lesson);
    so_far_ = report::only(all, [&](const Row& row) { return !broken.contains(row.lesson); });
    if (from == path_) written_ = so_far_.rows.size();
    return so_far_;
  }
  // A lesson that has ended.
  void add(const Results& lesson) {
    const std::lock_guard lock(mutex_);
    if (path_.empty()) return;
    if (!lesson.rows.empty()) running_.erase(lesson.rows[0].lesson);
    merge(so_far_, lesson);
    write();
  }
  // The cases of a lesson that runs. Should this program be killed, a row says that others are
  // missing.
  void add_cases(Results lesson) {
    const std::lock_guard lock(mutex_);
    if (path_.empty() || lesson.rows.empty()) return;
    Row row;
    static_cast<CaseKey&>(row) = lesson.rows[0];
    row.axes = {};
    row.variant = name(VariantRole::program);
    row.date = today();
    row.status = Status::crashed;
    row.reason = "the run ended before all was measured";
    lesson.rows.push_back(row);
    running_[row.lesson] = std::move(lesson);
    write();
  }
  // For the end of a line that says what went wrong.
  std::string where(int code) const {
    const std::lock_guard lock(mutex_);
    if (written_ == 0)
      return path_.empty() || code != 130 ? "" : ": no case was complete, so there is no " + path_;
    return (written_ == all().rows.size() ? ": what" : ": a part of what") +
           (" was measured is in " + path_);
  }
  void remove() {
    std::error_code ignored;
    if (written_ > 0) fs::remove(path_, ignored);
  }

 private:
  Results all() const {
    Results all = so_far_;
    for (const auto& [path, lesson] : running_) merge(all, lesson);
    return all;
  }
  void write() {
    try {
      const Results now = all();
      if (std::ranges::all_of(now.rows, broke_off)) return;  // nothing was measured yet
      if (written_ == 0) keep_earlier();
      write_atomically(path_, to_json(now));
      written_ = now.rows.size();
    } catch (const std::exception& e) {
      if (!warned_)
        tell("{}: the run goes on, but if it is interrupted, its results are lost", e.what());
      warned_ = true;
    }
  }
  void keep_earlier() const {
    if (!fs::exists(path_)) return;
    const std::string free = free_name(path_);
    fs::rename(path_, free);
    tell("{} is of an interrupted run: it was renamed to {}", path_, free);
  }
  mutable std::mutex mutex_;
  std::string path_;
  Results so_far_;                          // of lessons that have ended
  std::map<std::string, Results> running_;  // of others, by their paths
  std::size_t written_ = 0;                 // rows
  bool warned_ = false;
};

Results read_files(const Catalogue& catalogue, const std::vector<std::string>& files) {
  const EndsAtOnce files_are_large;
  Results results;
  for (const std::string& file : files) merge(results, load_results(file));
  report::look_up(results, catalogue.source);
  return results;
}

// What an earlier run has measured, and what is left.
Run measure(const Catalogue& catalogue, const RunOptions& options, Partial& partial,
            const std::function<void(const Results&)>& on_lesson) {
  const auto keep = [&](const Results& lesson) {
    partial.add(lesson);  // first, for what follows may be interrupted
    on_lesson(lesson);
    if (nobody_reads() && !options.has_outputs())
      throw Failure(141, "the program that read the output has ended: stopped");
  };
  Results all = options.resume ? partial.earlier(options.json) : Results{};
  const auto is_done = [&](const Selection& s) {
    return std::ranges::any_of(all.rows,
                               [&](const Row& row) { return row.lesson == s.lesson->path; });
  };
  std::vector<Selection> lessons = lessons_for(catalogue, options);
  if (const std::size_t done = std::erase_if(lessons, is_done))
    tell("{} lessons were measured before, {} are left", done, lessons.size());
  Run run;
  if (!lessons.empty())
    run = run_lessons(catalogue, lessons, options, false, keep,
                      [&](const Results& so_far) { partial.add_cases(so_far); });
  merge(all, run.results);
  run.results = std::move(all);
  return run;
}

// An output that can't be written costs nothing but itself.
void write_outputs(Run& run, const RunOptions& options, const std::string& command,
                   Partial& partial) {
  const auto write = [&](const std::string& path, const auto& text) {
    try {
      if (!path.empty()) write_atomically(path, text());
      return true;
    } catch (const std::exception& e) {
      throw_if_interrupted();
      tell("workbook: {}{}", e.what(), partial.where(5));
      if (run.code != 4) run.code = 5;
      return false;
    }
  };
  if (write(options.json, [&] { return to_json(run.results); })) partial.remove();
  write(options.csv, [&] { return report::as_csv(report::raw_table(run.results)); });
  write(options.markdown, [&] { return report::as_markdown(whole(run.results, command, false)); });
  write(options.html, [&] {
    return report::as_html(whole(run.results, command, true),
                           "GPU Performance Workbook: " + command);
  });
}

// Measures, or reads files, and writes the results before anything is drawn of them.
Run measure_and_keep(const Catalogue& catalogue, const RunOptions& options,
                     const std::string& command,
                     const std::function<void(const Results&)>& on_lesson) {
  check_outputs(
      {options.json, options.csv, options.markdown, options.html, options.svg, options.png});
  if (!(options.html + options.svg + options.png).empty()) report::require_gnuplot();
  Run run;
  if (from_files(options)) {
    run.results = read_files(catalogue, options.names);
    on_lesson(run.results);
    throw_if_interrupted();
  }
  Partial partial(options.json);
  try {
    if (!from_files(options)) run = measure(catalogue, options, partial, on_lesson);
  } catch (const std::exception& e) {
    const int code = wb::exit_code(e, 5);
    throw Failure(code, e.what() + partial.where(code));
  }
  write_outputs(run, options, command, partial);
  return run;
}

// Runs that were kept by name are in the folder of the student's progress.
fs::path kept(const std::string& name) {
  const bool plain = !name.empty() && name[0] != '.' && name.find('/') == name.npos;
  if (!plain) throw Failure(2, "'" + name + "' is no name to keep results under: no '/' in it");
  return state_folder() / "kept" / (name + ".json");
}

Results kept_results(const std::string& name_or_file) {
  if (name_or_file.ends_with(".json")) return load_results(name_or_file);
  const fs::path file = kept(name_or_file);
  if (fs::exists(file)) return load_results(file.string());
  std::string names;
  std::error_code none_yet;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), none_yet))
    names += (names.empty() ? "" : ", ") + entry.path().stem().string();
  throw Failure(2, fmt::format("nothing was kept as {} (--save {}); there is {}", name_or_file,
                               name_or_file, names.empty() ? "nothing yet" : names));
}

// What is kept under that name already, to which this run's rows are added.
Results saved_before(const std::string& name) {
  if (name.empty()) return {};
  const fs::path file = kept(name);
  fs::create_directories(file.parent_path());
  check_writable(file);
  return fs::exists(file) ? load_results(file.string()) : Results{};
}

void require_place_for(const Results& now, const Results& before, const std::string& name) {
  if (!before.rows.empty() && !now.rows.empty() && before.machine != now.machine)
    throw Failure(2, fmt::format("{} was kept on {}, this is {}: --save another name", name,
                                 before.machine, now.machine));
}

// Rows of the cases that this run measured take the place of those of before; the others stay.
void save(const Results& now, Results before, const std::string& name) {
  const std::size_t had = before.rows.size();
  merge(before, now);
  write_atomically(kept(name), to_json(before));
  if (had > 0)
    tell("{} had {} rows; with the {} of this run it has {}", name, had, now.rows.size(),
         before.rows.size());
}

void require_same_machine(const Results& then, const Results& now, const RunOptions& options) {
  if (!options.any_machine && !now.rows.empty() && then.machine != now.machine)
    throw Failure(2,
                  fmt::format("{} was measured on {}, this is {}: --any-machine compares all the "
                              "same",
                              options.against, then.machine, now.machine));
}

bool is_slower(const report::SpeedChange& change) { return change.speed.verdict == "slower"; }

// What is slower than then is measured once more, for others may have used the machine: a row whose
// second time is not is the one that counts.
void measure_again(const Catalogue& catalogue, const Results& then, Results& now,
                   RunOptions options) {
  std::set<std::string> lessons;
  for (const report::SpeedChange& c : report::changes(then, now, options.threshold / 100))
    if (is_slower(c)) lessons.insert(c.now->lesson);
  if (lessons.empty() || from_files(options)) return;
  tell("slower than {}: measuring again, in case the machine was busy", options.against);
  options.choice.first = options.only_first();
  options.names.assign(lessons.begin(), lessons.end());
  const Run again =
      run_lessons(catalogue, lessons_for(catalogue, options), options, false, [](auto&) {});
  for (const report::SpeedChange& c : report::changes(then, again.results, options.threshold / 100))
    for (Row& row : now.rows)
      if (static_cast<const CaseKey&>(row) == *c.now && row.variant == c.now->variant &&
          !is_slower(c))
        row = *c.now;
}

// Shows what changed, at the head of the page, too. Whether something is slower than then.
bool show_changes(const Results& then, const Results& now, const RunOptions& options,
                  const std::string& command) {
  const std::vector<report::SpeedChange> all = report::changes(then, now, options.threshold / 100);
  if (all.empty()) throw Failure(2, options.against + " has none of these rows");
  const report::Document changed = report::changes_report(all, now, options.all_cases);
  const std::string what =
      fmt::format("Speed now, over that of {}, {}", options.against, report::days(then));
  print("{}\n\n{}", what, report::as_text(changed, report::Style::screen(options.choice.wide)));
  if (!options.html.empty()) {
    report::Document page = {report::Heading{1, what}}, rest = whole(now, command, true);
    for (const report::Document& part : {changed, rest})
      page.insert(page.end(), part.begin(), part.end());
    write_atomically(options.html, report::as_html(page, "GPU Performance Workbook: " + command));
  }
  return std::ranges::any_of(all, is_slower);
}

// Cases for which a line is enough, or all others: each lesson's first, those in which something is
// wrong, and those in which an exercise is looked at.
Results part(const Results& results, bool enough) {
  std::set<const Row*> rows;
  std::set<std::string> seen;
  for (const report::SideBySide& c : report::side_by_side(results)) {
    const bool first = seen.insert(c.first().lesson + "/" + c.first().backend).second;
    const bool fine = std::all_of(c.rows.begin(), c.rows.end(), [&](const Row* row) {
      return row->status == Status::skipped ||
             (has_speed(*row) &&
              !report::standing(*row, results.ceilings_of(row->backend)).suspect);
    });
    if (!first && fine && c.find("baseline") && c.find("optimized") && !c.find("exercise"))
      rows.insert(c.rows.begin(), c.rows.end());
  }
  return report::only(results, [&](const Row& row) { return rows.contains(&row) == enough; });
}

// The files that go together, in the order in which their machines come up.
std::vector<std::vector<std::string>> by_machine(const std::vector<std::string>& files) {
  std::vector<std::pair<Results, std::vector<std::string>>> machines;
  for (const std::string& file : files) {
    const Results results = load_results(file);
    const auto takes = [&](auto& machine) {
      try {
        Results all = machine.first;
        merge(all, results);
        machine.first = std::move(all);
        machine.second.push_back(file);
        return true;
      } catch (const Failure&) {  // another device
        return false;
      }
    };
    if (std::ranges::none_of(machines, takes)) machines.push_back({results, {file}});
  }
  std::vector<std::vector<std::string>> names;
  for (auto& [results, of_one] : machines) names.push_back(std::move(of_one));
  return names;
}

}  // namespace

int run_compare(const Catalogue& catalogue, const RunOptions& options, bool summary,
                const std::string& command_line) {
  // Results of several machines stand below one another: into one file go those of one.
  if (from_files(options) && !options.has_outputs() && options.against.empty())
    if (const auto machines = by_machine(options.names); machines.size() > 1) {
      int code = 0;
      for (RunOptions one = options; const std::vector<std::string>& files : machines) {
        one.names = files;
        print("{}\n", load_results(files[0]).machine);
        code = std::max(code, run_compare(catalogue, one, summary, command_line));
        print("\n");
      }
      return code;
    }
  const report::Style style = report::Style::screen(options.choice.wide);
  const bool lines = summary && !options.all_cases && !from_files(options);
  const Results before = saved_before(options.save);
  const Results then = options.against.empty() ? Results{} : kept_results(options.against);
  Run run = measure_and_keep(catalogue, options, command_line, [&](const Results& lesson) {
    require_place_for(lesson, before, options.save);
    if (!options.against.empty()) require_same_machine(then, lesson, options);
    report::Document shown =
        report::measured(lines ? part(lesson, false) : lesson, {.screen = true});
    if (const Results further = part(lesson, true); lines && !further.rows.empty()) {
      shown.push_back(report::summary_table(further, report::Called::by_case));
      shown.push_back(report::Sentences{"--all-cases shows these in full.\n"});
    }
    put(report::as_text(shown, style));
  });
  draw(lines ? part(run.results, false) : run.results, run.results, summary, options);
  const auto& rows = run.results.rows;
  if (summary && !rows.empty() && rows.front().lesson != rows.back().lesson &&
      std::ranges::any_of(rows, has_speed))
    put(report::as_text({report::summary_table(run.results, style.table == report::Style::kUnlimited
                                                                ? report::Called::by_path_and_title
                                                                : report::Called::by_title)},
                        style));
  std::string last;
  if (summary && options.only_first())
    last = "Each lesson's first case. All of them: ./workbook compare LESSON or CHAPTER\n";
  last += report::provenance(run.results, command_line);
  if (style.table != report::Style::kUnlimited) last += "--wide shows every column.\n";
  print("{}", last);
  if (!options.save.empty()) save(run.results, before, options.save);
  if (options.against.empty()) return run.code;
  measure_again(catalogue, then, run.results, options);
  return show_changes(then, run.results, options, command_line) && run.code == 0 ? 6 : run.code;
}

int run_roofline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& command_line) {
  report::require_gnuplot();
  Run run = measure_and_keep(catalogue, options, command_line, [](const Results&) {});
  for (Row& row : run.results.rows) {
    if (!has_speed(row))
      tell("{}/{} {}: {}", row.lesson, row.variant, run.results.name_of(row), report::trouble(row));
    row.sweep.clear();  // here the points of a sweep are places on the roofline, like cases
  }
  draw(run.results, run.results, true, options);
  return run.code;
}

int run_timeline(const Catalogue& catalogue, const RunOptions& options,
                 const std::string& trace_file) {
  check_outputs({options.svg, trace_file});
  std::vector<Selection> selections = lessons_for(catalogue, options);
  for (Selection& s : selections)
    if (s.variants.empty() && s.lesson->has("baseline") && s.lesson->has("optimized"))
      s.variants = {"baseline", "optimized"};
  RunOptions quick = options;
  quick.choice.fast = true;  // what is drawn is the traced pass, not the samples before it
  const Others others;
  const Run run = run_lessons(catalogue, selections, quick, true, [](const Results&) {});
  for (const TracedRow& row : run.traces)
    put(report::draw_timeline(row, std::min<std::size_t>(screen_width(100), 160), has_colours(1)) +
        "\n");
  if (!run.traces.empty()) print("{}\n", report::timeline_legend(run.traces));
  const std::string used = used_by(options.launcher.empty() ? others.cores() : 0,
                                   static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)));
  if (!run.traces.empty() && !used.empty())
    print("The machine was busy: {}, so gaps and lengths may be their work.\n", used);
  for (const Row& row : run.results.rows)
    if (!row.split)
      print("{}/{} {}: no timeline: {}{}\n", row.lesson, row.variant, run.results.name_of(row),
            row.reason, row.no_goodput);
  if (!options.svg.empty()) write_atomically(options.svg, report::timeline_svg(run.traces));
  if (!trace_file.empty()) write_atomically(trace_file, chrome_trace(run.traces));
  return run.code;
}

}  // namespace wb::driver
