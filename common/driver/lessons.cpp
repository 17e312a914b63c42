#include "driver/lessons.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/process.h"
#include "base/words.h"
#include "model/results.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

// Where the run is and how long it will take: one line that is written over on a terminal, a line a
// lesson elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t lessons) : lessons_(lessons) {}
  void lesson(std::size_t index, const std::string& name) {
    index_ = index;
    name_ = name;
    show(0, "");
  }
  // Lines of a lesson program: its progress, or something for people.
  void line(const std::string& text) {
    double done = 0, total = 0;
    int used = 0;
    if (std::sscanf(text.c_str(), "@progress %lf %lf %n", &done, &total, &used) == 2) {
      if (total > 0) show(std::clamp(done / total, 0.0, 1.0), text.substr(used));
    } else if (!text.starts_with("@progress") && said_.insert(text).second) {
      clear();
      fmt::print(stderr, "{}\n", text);
    }
  }
  void done(double seconds, const std::string& how) {
    clear();
    if (!terminal_ || !how.empty())
      fmt::print(stderr, "[{}/{}] {} {:.1f} s{}\n", index_ + 1, lessons_, name_, seconds,
                 how.empty() ? "" : ": " + how);
  }
  void clear() {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  void show(double share, const std::string& what) {
    if (!terminal_) return;
    using namespace std::chrono;
    const double elapsed = duration<double>(steady_clock::now() - start_).count();
    const double all = (static_cast<double>(index_) + share) / static_cast<double>(lessons_);
    std::string left;
    if (all > 0.02) left = fmt::format(", about {:.0f} s left", elapsed / all * (1 - all));
    const std::string text = fmt::format("[{}/{}] {} {:.0f}%{} {}", index_ + 1, lessons_, name_,
                                         100 * share, left, what);
    fmt::print(stderr, "\r\033[K{}", text.substr(0, 78));
  }
  std::size_t lessons_, index_ = 0;
  std::string name_;
  std::set<std::string> said_;  // five lessons need not all say that there is no GPU
  bool terminal_ = ::isatty(2);
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

fs::path program_of(const Catalogue& catalogue, const Selection& selection) {
  return catalogue.bin / ((selection.exercise() ? "exercise_" : "") + selection.lesson->program);
}

}  // namespace

std::vector<std::string> lesson_command(const Catalogue& catalogue, const Selection& selection,
                                        const RunOptions& options) {
  std::vector<std::string> command;
  if (!options.launcher.empty()) command = split_words(options.launcher);
  command.push_back(program_of(catalogue, selection).string());
  const std::pair<const char*, const std::string*> flags[] = {
      {"--backend=", &options.backend}, {"--size=", &options.size},   {"--dtype=", &options.dtype},
      {"--op=", &options.op},           {"--cache=", &options.cache}, {"--seed=", &options.seed},
      {"--sweep=", &options.sweep},     {"--peer=", &options.peer}};
  for (const auto& [flag, value] : flags)
    if (!value->empty()) command.push_back(flag + *value);
  if (options.fast) command.push_back("--fast");
  if (options.only_first()) command.push_back("--first");
  if (!selection.variants.empty()) {
    std::string variants;
    for (const std::string& v : selection.variants) variants += (variants.empty() ? "" : ",") + v;
    command.push_back("--variant=" + variants);
  }
  return command;
}

Run run_lessons(const Catalogue& catalogue, const std::vector<Selection>& selections,
                const RunOptions& options, bool with_traces,
                const std::function<void(const Results&)>& on_lesson) {
  // With a launcher the programs may run on another machine, which sees the build as this one does.
  const Scratch scratch(options.launcher.empty() ? fs::temp_directory_path() : catalogue.build);
  Run run;
  std::set<int> codes;
  std::vector<std::string> reasons;  // why lessons did not run
  bool any = false;
  Progress progress(selections.size());
  for (std::size_t i = 0; i < selections.size(); ++i) {
    const Selection& selection = selections[i];
    const std::string& lesson = selection.lesson->path;
    const std::string result = scratch.file(fmt::format("{}.json", i));
    const std::string trace = scratch.file(fmt::format("{}.trace", i));
    std::vector<std::string> command = lesson_command(catalogue, selection, options);
    command.insert(command.end(), {"--quiet", "--benchmark_out=" + result});
    if (with_traces) command.push_back("--trace=" + trace);

    progress.lesson(i, lesson);
    std::string last_line;
    const auto start = std::chrono::steady_clock::now();
    const auto on_error = [&](const std::string& line) {
      // "walk: no GPU": the line a program ends with; it waits for the exit code.
      const std::string prefix = selection.lesson->program + ": ";
      const std::size_t at = line.find(prefix);
      if (at == 0 || (at == 9 && line.starts_with("exercise_")))
        last_line = line.substr(at + prefix.size());
      else
        progress.line(line);
    };
    const bool built = fs::exists(program_of(catalogue, selection));
    const Outcome outcome =
        built ? run_process(
                    command, options.time_limit, [](const std::string&) {}, on_error)
              : Outcome{.code = 1};
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    Results own;
    std::string trouble;  // what the program itself did wrong
    int code = outcome.code;
    if (outcome.timed_out)
      trouble = fmt::format("HUNG: stopped after the time limit of {:g} s (--time-limit)",
                            options.time_limit);
    else if (outcome.signal)
      trouble = fmt::format("CRASHED: signal {} ({})", outcome.signal, strsignal(outcome.signal));
    else if (code == 127 && !any)
      throw Failure(3, fmt::format("could not start {}: is it installed?", command.front()));
    else if ((code > 3 && code != 5 && code != 4) || (code == 4 && !fs::exists(result)))
      trouble = fmt::format("CRASHED: exit code {}", code);
    else if (built && code < 2 && !fs::exists(result))
      trouble = fmt::format("CRASHED: exit code {} and no results", code);
    if (!trouble.empty()) {
      code = 4;
      if (!last_line.empty()) trouble += ": " + last_line;
    } else if (!built) {
      trouble = "NOT BUILT: what its compiler said is above";
    } else if (code == 5) {
      trouble = "FILE TROUBLE: " + last_line;
    } else if (code != 2) {
      // Code 4: it lost its device, says so in its rows, and kept what it had.
      if (code == 4) progress.line(lesson + ": " + last_line);
      try {
        if (code != 3 || fs::exists(result)) own = load_results(result);
        if (with_traces && fs::exists(trace))
          for (TracedRow& row : read_chrome_trace(read_file(trace)))
            run.traces.push_back(std::move(row));
        merge(run.results, own);
      } catch (const std::exception& e) {
        own = {};
        code = 5;
        trouble = std::string("UNREADABLE: ") + e.what();
      }
    }
    if (!trouble.empty()) {
      Row row;
      row.lesson = lesson;
      row.variant = "program";
      row.backend = options.backend;
      row.date = today();
      row.error = trouble;
      own.rows.push_back(row);
      merge(run.results, own);
    }
    if (code == 2 || code == 3) {
      progress.clear();
      if (last_line.empty()) last_line = "did not run";
      reasons.push_back(last_line.starts_with(lesson) ? last_line : lesson + ": " + last_line);
    } else {
      progress.done(seconds, trouble);
    }
    codes.insert(code);
    any = any || !(code == 2 || code == 3);
    if (!own.rows.empty()) on_lesson(own);
  }
  if (!any) throw Failure(codes.count(2) ? 2 : 3, reasons.empty() ? "nothing to run" : reasons[0]);
  for (const std::string& reason : reasons) fmt::print(stderr, "skipped {}\n", reason);
  for (const int worst : {4, 5, 1})
    if (run.code == 0 && codes.count(worst)) run.code = worst;
  return run;
}

}  // namespace wb
