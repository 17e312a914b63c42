#include "driver/lessons.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/launched.h"
#include "base/output.h"
#include "base/pool.h"
#include "base/process.h"
#include "model/results.h"
#include "report/about.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

// Where the run is and how long it will take: one line that is written over on a terminal, a line
// per lesson elsewhere. Several threads tell it.
class ProgressLine {
 public:
  explicit ProgressLine(std::size_t lessons) : lessons_(lessons) {}
  ~ProgressLine() { clear(); }  // before what a run ends with is said
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  // A line of a lesson program, and into `running` the row that is measured. True: its progress;
  // false: something for people.
  bool line(const std::string& lesson, const std::string& text, std::string& running) {
    const std::lock_guard lock(mutex_);
    double done = 0, total = 0;
    int used = 0;
    if (std::sscanf(text.c_str(), "@progress %lf %lf %n", &done, &total, &used) == 2) {
      running = text.substr(used);
      if (done_ == 0 && done == 0) start_ = seconds();  // before that it measured ceilings
      if (total > 0) show(lesson, std::clamp(done / total, 0.0, 1.0), running);
      return true;
    }
    if (text.starts_with("@progress")) return true;
    if (said_.insert(text).second) say_it(text);
    return false;
  }
  void say(const std::string& text) {
    const std::lock_guard lock(mutex_);
    say_it(text);
  }
  void begin(const std::string& lesson) {
    const std::lock_guard lock(mutex_);
    show(lesson, 0, "");
  }
  void skipped() {
    const std::lock_guard lock(mutex_);
    clear();
    ++done_;
  }
  void done(const std::string& lesson, double took, const std::string& how) {
    const std::lock_guard lock(mutex_);
    clear();
    ++done_;
    if (!terminal_ || !how.empty())
      tell("[{}/{}] {} {:.1f} s{}", done_, lessons_, lesson, took, how.empty() ? "" : ": " + how);
  }

 private:
  void say_it(const std::string& text) {
    clear();
    tell("{}", text);
  }
  void clear() {
    if (terminal_) put_error("\r\033[K");
  }
  void show(const std::string& lesson, double share, std::string what) {
    if (!terminal_) return;
    if (what.starts_with(lesson + "/")) what.erase(0, lesson.size() + 1);
    const double elapsed = seconds() - start_;
    const double all = (static_cast<double>(done_) + share) / static_cast<double>(lessons_);
    std::string left;
    // A lesson's first tenth is mostly set-up, and says little about the rest.
    if (all > 0.02 && all * static_cast<double>(lessons_) > 0.1)
      left = fmt::format(", about {:.0f} s left", elapsed / all * (1 - all));
    const std::string text = fmt::format("[{}/{}] {} {:.0f}%{} {}", done_ + 1, lessons_, lesson,
                                         100 * share, left, what);
    put_error("\r\033[K" + text.substr(0, screen_width(80) - 1));
  }
  std::mutex mutex_;
  std::size_t lessons_, done_ = 0;
  std::set<std::string> said_;  // five lessons need not all say that there is no GPU
  bool terminal_ = has_cursor(2);
  double start_ = seconds();
};

fs::path program_of(const Catalogue& catalogue, const Selection& selection) {
  return catalogue.bin / selection.program();
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
  choice.survey = options.survey();
  for (const std::string& v : selection.variants)
    choice.variant += (choice.variant.empty() ? "" : ",") + v;
  for (std::string& word : arguments(choice)) command.push_back(std::move(word));
  if (selection.exercise())
    command.push_back("--exercise=" +
                      (catalogue.bin / ("exercise_" + selection.lesson->program)).string());
  return command;
}

std::vector<std::string> targets_of(const Selection& selection) {
  std::vector<std::string> all = {selection.program()};
  if (selection.exercise()) all.push_back("exercise_" + selection.lesson->program);
  return all;
}

bool builds_as_it_goes(const RunOptions& options) {
  return options.launcher.empty() && std::getenv("WB_BUILD_WITH");
}

namespace {

// Has the first lesson built alone, and then a chapter when its next lesson comes up.
// What does not build has no program, which its row says.
void build(const std::vector<Selection>& selections, std::size_t index, const RunOptions& options,
           ProgressLine& progress, std::size_t& built) {
  if (index < built || !builds_as_it_goes(options)) return;
  const auto chapter = [&](std::size_t i) {
    const std::string& path = selections[i].lesson->path;
    return path.substr(0, path.find('/'));
  };
  std::vector<std::string> command = {std::getenv("WB_BUILD_WITH"), "build",
                                      options.choice.backend};
  const auto belongs = [&](std::size_t i) {
    return i == index || (index > 0 && i < selections.size() && chapter(i) == chapter(index));
  };
  for (built = index; belongs(built); ++built)
    for (const std::string& target : targets_of(selections[built])) command.push_back(target);
  std::string none;
  run_process(command, 24 * 3600, {}, [&](const std::string& line) {
    if (line.starts_with("@progress"))
      progress.line(selections[index].lesson->path, line, none);
    else
      progress.say(line);
  });
}

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
  if (outcome.signal || outcome.code > 5)
    return ended(Status::crashed, 4, how_it_ended(outcome, last_line));
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

// Hands on what a lesson program has written so far, each time that it has written more.
class Cases {
 public:
  Cases(const std::string& file, const std::function<void(const Results&)>& on_case)
      : file_(file), on_case_(on_case) {}
  void look() {
    std::error_code none_yet;
    const auto written = fs::last_write_time(file_, none_yet);
    if (!on_case_ || none_yet || written == seen_) return;
    seen_ = written;
    try {
      on_case_(load_results(file_));
    } catch (const std::exception&) {  // its end will say what is wrong with it
    }
  }

 private:
  const std::string file_;
  const std::function<void(const Results&)>& on_case_;
  fs::file_time_type seen_{};
};

// `running`: the row that it measured last, as it said.
Answer run_program(const Catalogue& catalogue, const Selection& selection,
                   const RunOptions& options, const std::string& scratch, bool with_traces,
                   ProgressLine& progress, std::string& running,
                   const std::function<void(const Results&)>& on_case) {
  if (!fs::exists(program_of(catalogue, selection)))
    return {{}, {}, 1, Status::not_built, "its compiler's message is above"};
  const std::string result = scratch + ".json", trace = scratch + ".trace";
  std::vector<std::string> command = lesson_command(catalogue, selection, options);
  command.insert(command.end(), {"--quiet", "--benchmark_out=" + result});
  if (with_traces) command.push_back("--trace=" + trace);
  Cases cases(result, on_case);
  const auto say = [&](const std::string& line) {
    cases.look();
    return progress.line(selection.lesson->path, line, running);
  };
  if (options.launcher.empty()) {
    std::string last_line;
    const Outcome outcome = run_process(
        command, options.time_limit, [](const std::string&) {},
        [&](const std::string& line) {
          if (!say(line)) last_line = line;
        });
    return read_answer(outcome, options, result, trace, last_line);
  }
  std::error_code none;
  fs::remove(result, none), fs::remove(trace, none);
  const Launched run = run_launched(selection.lesson->path, command, options.time_limit, say, [&] {
    const Answer answer = read_answer({}, options, result, trace, "");
    return answer.status == Status::ok && !answer.results.failure;
  });
  Answer answer = read_answer(run.outcome, options, result, trace, run.last_line);
  if (run.out_of_time.empty()) return answer;
  return {answer.results, {}, 4, Status::hung, run.out_of_time};
}

// A row in the place of those that a program did not write: the one that was `running`, or
// "program" where that is not known, or was measured.
Row program_row(const Answer& answer, const std::string& lesson, const RunOptions& options,
                const std::string& running) {
  Row row;
  row.lesson = lesson;
  row.variant = name(VariantRole::program);
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

// Of a run whose programs ended with these codes. Throws Failure where none has measured anything.
int code_of_all(std::set<int> codes, const std::vector<std::string>& skipped) {
  codes.erase(3);
  if (const bool usage = codes.erase(2); codes.empty())
    throw Failure(usage ? 2 : 3, skipped.empty() ? "nothing to run" : skipped[0]);
  for (const std::string& reason : skipped) tell("skipped {}", reason);
  for (const int worst : {4, 5, 1})
    if (codes.contains(worst)) return worst;
  return 0;
}

// The lesson programs of a run, and what came of them.
struct LessonRun {
  using OnResults = std::function<void(const Results&)>;
  const Catalogue& catalogue;
  const std::vector<Selection>& selections;
  const RunOptions& options;
  bool with_traces;
  const OnResults &on_lesson, &on_case;

  // With a launcher the programs may run on another machine, which sees the build as this one does.
  const Scratch scratch{options.launcher.empty() ? temporary_folder() : catalogue.build};
  ProgressLine progress{selections.size()};
  std::size_t built = 0;  // lessons, from the first on
  std::vector<double> begun = std::vector<double>(selections.size());
  std::vector<std::string> running = std::vector<std::string>(selections.size());  // measured last
  Run run{};
  std::set<int> codes{};
  std::vector<std::string> reasons{};  // why lessons did not run

  Run all() {
    Pool<std::size_t, Answer> programs(std::min<std::size_t>(options.jobs, selections.size()),
                                       [this](std::size_t i) { return start(i); });
    for (std::size_t i = 0; i < selections.size(); ++i) programs.add(i);
    std::exception_ptr thrown;
    while (auto ended = programs.next_of_all()) {
      const std::size_t i = ended->job;
      if (ended->thrown) {
        take_part(i);
        thrown = ended->thrown;
      } else {
        take(i, ended->result ? std::move(*ended->result) : broken_off(i, ended->lost));
      }
    }
    if (thrown) std::rethrow_exception(thrown);
    // They ended in any order.
    const auto place = [&](const Row& row) {
      return std::ranges::find(selections, row.lesson,
                               [](const Selection& s) { return s.lesson->path; });
    };
    if (options.jobs > 1) std::ranges::stable_sort(run.results.rows, {}, place);
    run.code = code_of_all(std::move(codes), reasons);
    return std::move(run);
  }

  std::string file(std::size_t i) const { return scratch.file(fmt::format("{}", i)); }
  const std::string& lesson(std::size_t i) const { return selections[i].lesson->path; }

  Answer start(std::size_t i) {
    progress.begin(lesson(i));
    build(selections, i, options, progress, built);
    if (begun[i] == 0) begun[i] = seconds();
    return run_program(catalogue, selections[i], options, file(i), with_traces, progress,
                       running[i], on_case);
  }
  // Of one that did not come to its end: the cases that were done stand in the file.
  Answer broken_off(std::size_t i, const std::string& why) const {
    Outcome killed;
    killed.signal = SIGKILL;
    Answer answer = read_answer(killed, options, file(i) + ".json", "", "");
    answer.reason = why;
    return answer;
  }
  void take(std::size_t i, Answer answer) {
    report::look_up(answer.results, catalogue.source);
    try {
      merge(run.results, answer.results);
    } catch (const Failure& e) {  // the launcher chose another kind of machine
      answer = {{}, {}, 4, Status::failed, e.what()};
    }
    if (answer.status != Status::ok) {
      answer.results.rows.push_back(program_row(answer, lesson(i), options, running[i]));
      run.results.rows.push_back(answer.results.rows.back());
    }
    if (answer.code == 2 || answer.code == 3) {
      progress.skipped();
      const std::string& why = answer.reason.empty() ? "did not run" : answer.reason;
      reasons.push_back(why.starts_with(lesson(i)) ? why : lesson(i) + ": " + why);
    } else {
      progress.done(lesson(i), seconds() - begun[i], answer.reason);
    }
    codes.insert(answer.code);
    for (TracedRow& row : answer.traces) run.traces.push_back(std::move(row));
    if (!only_skipped(answer.results.rows)) on_lesson(answer.results);
  }
  // What an interrupt, which ends the run, has left of a lesson.
  void take_part(std::size_t i) {
    Answer answer = broken_off(i, "interrupted: not all was measured");
    forgive_interrupts();
    if (answer.results.rows.empty()) return;
    report::look_up(answer.results, catalogue.source);
    answer.results.rows.push_back(program_row(answer, lesson(i), options, running[i]));
    on_lesson(answer.results);
  }
};

}  // namespace

Run run_lessons(const Catalogue& catalogue, const std::vector<Selection>& selections,
                const RunOptions& options, bool with_traces,
                const std::function<void(const Results&)>& on_lesson,
                const std::function<void(const Results&)>& on_case) {
  return LessonRun{catalogue, selections, options, with_traces, on_lesson, on_case}.all();
}

}  // namespace wb::driver
