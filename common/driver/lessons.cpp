#include "driver/lessons.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <set>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "model/results.h"
#include "report/about.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

// Where the run is and how long it will take: one line that is written over on a terminal, a line
// per lesson elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t lessons) : lessons_(lessons) {}
  void lesson(std::size_t index, const std::string& name) {
    index_ = index;
    name_ = name;
    running_.clear();
    show(0, "");
  }
  // A line of a lesson program. True: its progress; false: something for people.
  bool line(const std::string& text) {
    double done = 0, total = 0;
    int used = 0;
    if (std::sscanf(text.c_str(), "@progress %lf %lf %n", &done, &total, &used) == 2) {
      running_ = text.substr(used);
      if (total > 0) show(std::clamp(done / total, 0.0, 1.0), running_);
      return true;
    }
    if (text.starts_with("@progress")) return true;
    if (said_.insert(text).second) {
      clear();
      tell("{}", text);
    }
    return false;
  }
  void done(double took, const std::string& how) {
    clear();
    if (!terminal_ || !how.empty())
      tell("[{}/{}] {} {:.1f} s{}", index_ + 1, lessons_, name_, took,
           how.empty() ? "" : ": " + how);
  }
  // The name of the row that is measured, as the lesson program said last; "" at its begin and end.
  const std::string& running() const { return running_; }
  void clear() {
    if (terminal_) put_error("\r\033[K");
  }

 private:
  void show(double share, const std::string& what) {
    if (!terminal_) return;
    const double elapsed = seconds() - start_;
    const double all = (static_cast<double>(index_) + share) / static_cast<double>(lessons_);
    std::string left;
    if (all > 0.02) left = fmt::format(", about {:.0f} s left", elapsed / all * (1 - all));
    const std::string text = fmt::format("[{}/{}] {} {:.0f}%{} {}", index_ + 1, lessons_, name_,
                                         100 * share, left, what);
    put_error("\r\033[K" + text.substr(0, 78));
  }
  std::size_t lessons_, index_ = 0;
  std::string name_, running_;
  std::set<std::string> said_;  // five lessons need not all say that there is no GPU
  bool terminal_ = has_cursor(2);
  double start_ = seconds();
};

fs::path program_of(const Catalogue& catalogue, const Selection& selection) {
  return catalogue.bin / selection.lesson->program;
}

}  // namespace

std::vector<Selection> select(const Catalogue& catalogue, const RunOptions& options) {
  std::vector<Selection> selections = select(catalogue, options.names);
  for (const std::string& axis : options.choice.axes) {
    if (!axis.starts_with("op=")) continue;
    const std::string op = axis.substr(3), quoted = '"' + op + '"';
    std::erase_if(selections, [&](const Selection& s) {
      if (s.lesson->program == op) return false;
      std::error_code none;  // a folder that is gone has nothing
      for (const fs::path& file : fs::directory_iterator(catalogue.source / s.lesson->path, none))
        if (file.extension() == ".h") {
          const auto says = [text = read_file(file)](const std::string& part) {
            return text.find(part) != std::string::npos;
          };
          if ((says("\"op\"") && says(quoted)) || says("operation = " + quoted)) return false;
        }
      return true;
    });
    if (selections.empty())
      throw Failure(2,
                    fmt::format("no lesson{} has the operation '{}'; ./workbook list LESSON shows "
                                "what a lesson has",
                                options.names.empty() ? "" : " of these", op));
  }
  return selections;
}

std::vector<std::string> lesson_command(const Catalogue& catalogue, const Selection& selection,
                                        const RunOptions& options) {
  std::vector<std::string> command = split_words(options.launcher);
  command.push_back(program_of(catalogue, selection).string());
  Choice choice = options.choice;
  choice.first = options.only_first();
  for (const std::string& v : selection.variants)
    choice.variant += (choice.variant.empty() ? "" : ",") + v;
  for (std::string& word : arguments(choice)) command.push_back(std::move(word));
  if (selection.exercise())
    command.push_back("--exercise=" +
                      (catalogue.bin / ("exercise_" + selection.lesson->program)).string());
  return command;
}

namespace {

// What came of one lesson program.
struct Answer {
  Results results;
  std::vector<TracedRow> traces;
  int code = 0;
  Status status = Status::ok;  // of the program as a whole
  std::string reason{};
};

// Reads what the program left in `result` and `trace`. `last_line`: what it said last.
Answer read_answer(const Outcome& outcome, const RunOptions& options, const std::string& result,
                   const std::string& trace, const std::string& last_line) {
  // What was measured before it ended stands in the file.
  const auto ended = [&](Status status, int code, const std::string& reason) {
    Answer answer{{}, {}, code, status, reason};
    if (status == Status::hung || status == Status::crashed) try {
        if (fs::exists(result)) answer.results = load_results(result);
      } catch (const std::exception&) {  // nothing, then
      }
    return answer;
  };
  const std::string last = last_line.empty() ? "" : ": " + last_line;
  if (outcome.timed_out)
    return ended(Status::hung, 4,
                 fmt::format("stopped after the time limit of {:g} s (--time-limit){}",
                             options.time_limit, last));
  if (outcome.signal)
    return ended(Status::crashed, 4,
                 fmt::format("signal {} ({}){}", outcome.signal, strsignal(outcome.signal), last));
  if (outcome.code > 5)
    return ended(Status::crashed, 4, fmt::format("exit code {}{}", outcome.code, last));
  if (!fs::exists(result)) {
    if (outcome.code == 5) return ended(Status::failed, 5, last_line);
    if (outcome.code == 2 || outcome.code == 3) return ended(Status::ok, outcome.code, last_line);
    return ended(Status::crashed, 4,
                 fmt::format("exit code {} and no results{}", outcome.code, last));
  }
  try {
    Answer answer{load_results(result), {}, outcome.code};
    answer.reason = answer.results.failure_reason;
    if (fs::exists(trace)) answer.traces = read_chrome_trace(read_file(trace));
    if (answer.code == 5) answer.status = Status::failed;
    return answer;
  } catch (const std::exception& e) {
    return ended(Status::failed, 5, e.what());
  }
}

Answer run_program(const Catalogue& catalogue, const Selection& selection,
                   const RunOptions& options, const std::string& scratch, bool with_traces,
                   Progress& progress) {
  if (!fs::exists(program_of(catalogue, selection)))
    return {{}, {}, 1, Status::not_built, "what its compiler said is above"};
  const std::string result = scratch + ".json", trace = scratch + ".trace";
  std::vector<std::string> command = lesson_command(catalogue, selection, options);
  command.insert(command.end(), {"--quiet", "--benchmark_out=" + result});
  if (with_traces) command.push_back("--trace=" + trace);
  std::string last_line;
  const Outcome outcome = run_process(
      command, options.time_limit, [](const std::string&) {},
      [&](const std::string& line) {
        if (!progress.line(line)) last_line = line;
      });
  if (outcome.code == 127 && !options.launcher.empty())
    throw Failure(3, fmt::format("could not start {}: is it installed?", command.front()));
  return read_answer(outcome, options, result, trace, last_line);
}

// A row in the place of those that a program did not write: the one that was `running`, or
// "program" where that is not known, or was measured.
Row program_row(const Answer& answer, const std::string& lesson, const RunOptions& options,
                const std::string& running) {
  Row row;
  row.lesson = lesson;
  row.variant = "program";
  row.backend = options.choice.backend;
  const std::vector<Row>& rows = answer.results.rows;
  const bool measured = std::any_of(rows.begin(), rows.end(),
                                    [&](const Row& r) { return benchmark_name(r) == running; });
  if (!measured && running.starts_with(lesson + "/")) try {
      read_benchmark_name(running, row);
      row.cache = options.choice.cache;
      row.sweep = options.choice.sweep;
    } catch (const std::exception&) {
    }
  row.date = today();
  row.status = answer.status;
  row.reason = answer.reason;
  return row;
}

// Whether rows say no more than that nothing could run, all for one reason.
bool only_skipped(const std::vector<Row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& r) {
    return r.status == Status::skipped && r.reason == rows.front().reason;
  });
}

}  // namespace

Run run_lessons(const Catalogue& catalogue, const std::vector<Selection>& selections,
                const RunOptions& options, bool with_traces,
                const std::function<void(const Results&)>& on_lesson) {
  // With a launcher the programs may run on another machine, which sees the build as this one does.
  const Scratch scratch(options.launcher.empty() ? temporary_folder() : catalogue.build);
  Run run;
  std::set<int> codes;
  std::vector<std::string> reasons;  // why lessons did not run
  Progress progress(selections.size());
  for (std::size_t i = 0; i < selections.size(); ++i) {
    const std::string& lesson = selections[i].lesson->path;
    progress.lesson(i, lesson);
    const double start = seconds();
    const std::string file = scratch.file(fmt::format("{}", i));
    Answer answer;
    try {
      answer = run_program(catalogue, selections[i], options, file, with_traces, progress);
    } catch (const Failure&) {  // interrupted: the cases that were done stand in the file
      Outcome ended;
      ended.signal = SIGINT;
      answer = read_answer(ended, options, file + ".json", "", "");
      look_up(answer.results, catalogue.source);
      if (!answer.results.rows.empty()) on_lesson(answer.results);
      throw;
    }
    if (answer.status != Status::ok)
      answer.results.rows.push_back(program_row(answer, lesson, options, progress.running()));
    if (answer.code == 2 || answer.code == 3) {
      progress.clear();
      const std::string& why = answer.reason.empty() ? "did not run" : answer.reason;
      reasons.push_back(why.starts_with(lesson) ? why : lesson + ": " + why);
    } else {
      progress.done(seconds() - start, answer.reason);
    }
    codes.insert(answer.code);
    look_up(answer.results, catalogue.source);
    merge(run.results, answer.results);
    for (TracedRow& row : answer.traces) run.traces.push_back(std::move(row));
    if (!only_skipped(answer.results.rows)) on_lesson(answer.results);
  }
  codes.erase(3);
  if (const bool usage = codes.erase(2); codes.empty())
    throw Failure(usage ? 2 : 3, reasons.empty() ? "nothing to run" : reasons[0]);
  for (const std::string& reason : reasons) tell("skipped {}", reason);
  for (const int worst : {4, 5, 1})
    if (run.code == 0 && codes.count(worst)) run.code = worst;
  return run;
}

}  // namespace wb
