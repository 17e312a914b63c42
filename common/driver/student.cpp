// The student's loop around check: hint, next, progress, reset, predict and watch.
#include <fmt/format.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "base/alive.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/commands.h"
#include "driver/exercise.h"
#include "driver/page.h"
#include "driver/progress.h"
#include "report/about.h"

namespace wb::driver {

namespace fs = std::filesystem;

namespace {

// As a command line names it.
std::string short_name(const Exercise& e) { return fs::path(e.lesson->path).filename().string(); }

std::string relative(const Catalogue& catalogue, const fs::path& file) {
  return file.lexically_relative(catalogue.source).string();
}

std::string page_of(const Catalogue& catalogue, const Exercise& e) {
  const std::string page = (catalogue.source / e.lesson->path / "README.md").string();
  if (!fs::exists(page)) throw Failure(2, e.lesson->path + " has no page README.md");
  return read_file(page);
}

// The words of a page's text in lines that fit a terminal.
std::string indented(const std::string& text) {
  constexpr std::size_t kWidth = 78;
  std::istringstream words(text);
  std::string lines, line = "   ";
  for (std::string word; words >> word; line += " " + word)
    if (line.size() > 4 && line.size() + 1 + word.size() > kWidth)
      lines += std::exchange(line, "   ") + "\n";
  return lines + line + "\n";
}

void show(const Catalogue& catalogue, const Exercise& e, const RunOptions& options) {
  const About about = report::about_lesson(catalogue.source, e.lesson->path);
  const std::string flag = options.backend_flag();
  print("{0}\n  {1}: {2}\n  read  {3}/README.md\n  guess ./workbook predict {0}{4}\n  edit  {5}\n",
        short_name(e), about.title, about.question, e.lesson->path, flag,
        relative(catalogue, e.file));
  for (const std::string& goal : goal_texts(e, about.case_names)) print("  goal  {}\n", goal);
  print("  then  ./workbook check {}{}\n", short_name(e), flag);
}

// Shows the one behind `e`, and goes on to it, where there is one.
bool show_behind(const Catalogue& catalogue, const std::vector<Exercise>& all, Exercise& e,
                 const RunOptions& options) {
  const auto next = std::find_if(all.begin(), all.end(), [&](const Exercise& other) {
    return other.lesson > e.lesson;  // both point into the catalogue, which is in the book's order
  });
  if (next == all.end()) {
    print("That is the book's last exercise\n");
    return false;
  }
  show(catalogue, e = *next, options);
  return true;
}

}  // namespace

int run_hint(const Catalogue& catalogue, const RunOptions& options) {
  const Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::vector<std::string> all = hints(page_of(catalogue, e), e.on->device);
  if (all.empty()) throw Failure(2, e.lesson->path + " has no hints");
  std::size_t shown = 0;
  change_progress(e.key(), [&](Progress& p) {
    shown = static_cast<std::size_t>(p.hints);
    p.hints = static_cast<int>(std::min(shown + 1, all.size()));
  });
  const bool over = shown >= all.size();
  for (std::size_t i = over ? 0 : shown; i < (over ? all.size() : shown + 1); ++i)
    print("Hint {} of {}\n{}", i + 1, all.size(), indented(all[i]));
  if (!over) return 0;
  const std::string solution = e.lesson->path + "/solution" + e.file.extension().string();
  print("These are all.{}\n",
        fs::exists(catalogue.source / solution) ? " One way to do it: " + solution : "");
  return 0;
}

int run_next(const Catalogue& catalogue, const RunOptions& options) {
  const std::vector<Exercise> all = exercises(catalogue, options.choice.backend);
  if (!options.names.empty()) {
    Exercise named = exercise_of(catalogue, options.names, options.choice.backend);
    show_behind(catalogue, all, named, options);
    return 0;
  }
  std::map<std::string, Progress> done = read_progress();
  // On from the one that was solved last, and round to what was left out.
  const auto last = std::max_element(all.begin(), all.end(), [&](auto& a, auto& b) {
    return done[a.key()].solved < done[b.key()].solved;
  });
  std::vector<Exercise> open(last, all.end());
  open.insert(open.end(), all.begin(), last);
  std::erase_if(open, [&](const Exercise& e) { return done[e.key()].met; });
  if (open.empty())
    print("All goals are met: you have finished the book\n");
  else
    show(catalogue, open.front(), options);
  return 0;
}

int run_progress(const Catalogue& catalogue, const RunOptions& options) {
  std::map<std::string, Progress> done = read_progress();
  const std::vector<Exercise> all = exercises(catalogue, options.choice.backend);
  int met = 0;
  std::string chapter;
  for (const Exercise& e : all) {
    const std::string own = e.lesson->chapter().string();
    if (own != chapter) print("{}\n", chapter = own);
    const Progress& p = done[e.key()];
    met += p.met;
    std::string how = p.met ? "met" : p.best > 0 ? "not met" : "";
    if (p.best > 0) how += fmt::format(", {:.0f}% of the goal, {}", 100 * p.best, p.date);
    if (p.hints > 0)
      how += fmt::format("{}{} hint{}", how.empty() ? "" : ", ", p.hints, p.hints == 1 ? "" : "s");
    print("  [{}] {:<24}{:<5}{}\n", p.met ? 'x' : ' ', short_name(e), e.backend, how);
  }
  print("{} of {} goals met; {}\n", met, all.size(), where_progress_is());
  return 0;
}

int run_reset(const Catalogue& catalogue, const RunOptions& options) {
  const Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::string name = relative(catalogue, e.file);
  const Outcome git =
      run_process({"git", "-C", catalogue.source.string(), "show", "HEAD:./" + name}, 60);
  if (git.code == 127) throw Failure(2, "reset needs git, which is not installed");
  if (git.errors.find("dubious ownership") != std::string::npos)  // git says what to do
    throw Failure(2, "git: " + git.errors);
  if (!git.fine()) throw Failure(3, "git does not have " + name + ": " + git.errors);
  if (fs::is_directory(e.file))
    throw Failure(5, name + " is a folder: move it away, then ./workbook reset " + short_name(e));
  const bool gone = !fs::exists(e.file);
  const std::string yours = gone ? "" : read_file(e.file.string());
  std::string kept;
  if (!gone && yours != git.output) {
    std::string flat = name;
    std::replace(flat.begin(), flat.end(), '/', '-');
    fs::create_directories(state_folder() / "backups");
    const fs::path backup = free_name(state_folder() / "backups" / flat);
    write_atomically(backup.string(), yours);
    kept = "; your version is in " + backup.string();
  }
  if (gone || yours != git.output) write_atomically(e.file.string(), git.output);
  print("{} is as shipped again{}\n", name, kept);
  return 0;
}

namespace {

bool read_answer(std::string& said) {
  const bool answered = static_cast<bool>(std::getline(std::cin, said));
  throw_if_interrupted();
  return answered;
}

// Asks again after a wrong answer; one without a word gives up.
bool read_right(const ReportQuestion& q, std::string& said) {
  while (read_answer(said)) {
    const bool right = is_right(q, said);
    if (right || said.empty()) {
      print("{}{}", right ? "    Right.\n" : "", indented(q.because));
      return true;
    }
    print("    The report says something else: look again.\n> ");
  }
  return false;
}

}  // namespace

int run_predict(const Catalogue& catalogue, const RunOptions& options) {
  const Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::string page = page_of(catalogue, e);
  std::vector<std::string> asked = questions(page, e.on->device),
                           told = answers(page, e.on->device);
  const std::vector<ReportQuestion> checked = report_questions(e);
  const std::size_t of_page = asked.size();
  told.resize(of_page, "has no answer");
  for (const ReportQuestion& q : checked) asked.push_back(q.question), told.push_back(q.because);
  if (asked.empty()) throw Failure(2, e.lesson->path + " has no questions under Predict");
  std::vector<std::string> before = read_progress()[e.key()].predictions;
  if (before.size() > asked.size()) before.clear();  // the page has other questions since then
  if (before.size() < asked.size()) {
    const auto of_gpu = questions(page, "GPU");
    if (questions(page, e.on->device) != of_gpu && !of_gpu.empty())
      print(
          "These are the questions for a CPU. The page has {} for a GPU, about its GPU variants: "
          "{}\n",
          of_gpu.size(), e.lesson->path + "/README.md");
    for (std::size_t i = before.size(); i < asked.size(); ++i) {
      if (i == of_page)
        print("A stored report has one right answer to each of these. Enter alone gives up.\n");
      print("{}.\n{}> ", i + 1, indented(asked[i]));
      std::string said;
      const bool answered =
          i < of_page ? read_answer(said) : read_right(checked[i - of_page], said);
      if (!answered) {
        print("\n");
        throw Failure(2, fmt::format("{} of {} questions answered; ./workbook predict {}{} goes on",
                                     i, asked.size(), short_name(e), options.backend_flag()));
      }
      if (!change_progress(e.key(), [&](Progress& p) {
            p.predictions.resize(i), p.predictions.push_back(clean(said));
          }))
        throw Failure(5, "so your answers are not kept either: set HOME to a folder of yours");
    }
    print(
        "Kept. Measure: ./workbook compare {0}{1}\nThen ./workbook predict {0}{1} shows the "
        "answers\n",
        short_name(e), options.backend_flag());
    return 0;
  }
  for (std::size_t i = 0; i < asked.size(); ++i)
    print("{}.\n{}  you\n{}  the page\n{}", i + 1, indented(asked[i]), indented(before[i]),
          indented(told[i]));
  return 0;
}

namespace {

// Keys as they are pressed, without Enter, where standard input is a terminal.
class Keys {
 public:
  Keys() : terminal_(::isatty(0) && ::tcgetattr(0, &before_) == 0) {
    if (!terminal_) return;
    termios now = before_;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(0, TCSANOW, &now);
  }
  ~Keys() {
    if (terminal_) ::tcsetattr(0, TCSANOW, &before_);
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  bool terminal() const { return terminal_; }
  // One that was pressed within a quarter of a second, or 0.
  char next() const {
    pollfd input = {terminal_ ? 0 : -1, POLLIN, 0};
    char key = 0;
    if (::poll(&input, 1, 250) > 0 && ::read(0, &key, 1) != 1) key = 'q';  // it was closed
    throw_if_interrupted();
    return key;
  }

 private:
  termios before_ = {};
  bool terminal_;
};

fs::file_time_type saved(const fs::path& file) {
  std::error_code gone;  // for a moment, while an editor replaces it
  return fs::last_write_time(file, gone);
}

// A check of its own process, which builds first.
void check_anew(const Catalogue& catalogue, const Exercise& e, const RunOptions& options) {
  std::vector<std::string> command = {(catalogue.source / "workbook").string(), "check",
                                      e.lesson->path, "--backend=" + e.backend,
                                      fmt::format("--time-limit={}", options.time_limit)};
  if (!options.launcher.empty()) command.push_back("--launcher=" + options.launcher);
  if (options.choice.fast) command.push_back("--fast");
  Alive alive("building and checking " + e.lesson->path);
  run_process(
      command, 24 * 3600,
      [&](const std::string& line) { alive.aside([&] { print("{}\n", line); }); },
      [&](const std::string& line) {
        if (!line.ends_with(": interrupted"))  // which this program says itself
          alive.aside([&] { tell("{}", line); });
      });
}

}  // namespace

int run_watch(const Catalogue& catalogue, const RunOptions& options) {
  Exercise e = exercise_of(catalogue, options.names, options.choice.backend);
  const std::vector<Exercise> all = exercises(catalogue, options.choice.backend);
  const Keys keys;
  RunOptions own = options;
  fs::file_time_type checked{};
  const auto say_what_is_watched = [&] {
    print("\nwatching {}{}\n", relative(catalogue, e.file),
          keys.terminal() ? "\nkeys: n next, h hint, q quit" : "");
  };
  const auto obey = [&](char key) {
    own.names = {e.lesson->path};
    if (key == 'h') run_hint(catalogue, own);
    if (key == 'n' && show_behind(catalogue, all, e, own)) {
      checked = saved(e.file);  // as shipped it is not checked
      say_what_is_watched();
    }
  };
  for (char key = 0; key != 'q'; key = keys.next()) {
    try {
      obey(key);
    } catch (const std::exception& why) {  // a page without hints ends nothing
      if (wb::exit_code(why, 5) == 130) throw;
      tell("workbook: {}", one_line(why));
    }
    const fs::file_time_type now = saved(e.file);
    if (now == checked || now == fs::file_time_type::min()) continue;
    checked = now;
    check_anew(catalogue, e, own);
    say_what_is_watched();
  }
  return 0;
}

}  // namespace wb::driver
