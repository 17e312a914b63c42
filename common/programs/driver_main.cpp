// The driver behind ./workbook.
#include <CLI/CLI.hpp>
#include <functional>

#include "base/failure.h"
#include "base/nearest.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/asm.h"
#include "driver/commands.h"
#include "driver/doctor.h"
#include "programs/flags.h"
#include "programs/under_driver.h"

namespace {

using namespace wb;

constexpr const char* kLessons = "chapters or lessons: ch1, 01_NAME, NAME/optimized";
constexpr const char* kLessonsOrFiles = "chapters, lessons, or files of results (.json)";

// The command line: its words, and what the chosen command does.
class CommandLine {
 public:
  CommandLine() {
    app_.name("./workbook");
    app_.require_subcommand(0, 1);
    add_lookers();
    add_measurers();
    add_drawers();
    add_tune();
    add_keepers();
    hand_over("export", "make a tree to hand out: exercises as shipped, without solutions",
              "workbook_classroom");
    hand_over("grade", "judge students' exercises, each in a sandbox, by the workbook as committed",
              "workbook_classroom");
    add_student();
  }

  // Throws Failure (code 2) for what it can't read. An exit code when there is nothing to do, but
  // for help, which is printed unless `quiet`.
  std::optional<int> parse(int argc, char** argv, bool quiet = false) {
    text_ = "./workbook";
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      text_ += word.find(' ') == std::string::npos ? " " + word : " '" + word + "'";
    }
    refuse_empty(app_);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      if (e.get_exit_code() == 0) return show_help(quiet);
      refuse(e, argc > 1 ? argv[1] : "");
    }
    const auto is_op = [](const std::string& axis) { return axis.starts_with("op="); };
    const std::vector<std::string>& axes = options_.choice.axes;
    if (app_.got_subcommand("run") && options_.names.empty() &&
        std::none_of(axes.begin(), axes.end(), is_op))
      throw Failure(2, "name a lesson, or an operation (--op); ./workbook list shows both");
    if (action_) return std::nullopt;
    return show_help(quiet);
  }

  std::string command() const { return app_.get_subcommands().front()->get_name(); }
  const driver::RunOptions& options() const { return options_; }
  std::vector<std::string> targets(const driver::Catalogue& catalogue) const {
    return command() == "asm" ? driver::asm_targets(catalogue, options_, asm_)
                              : driver::targets(catalogue, command(), options_);
  }
  int run(const driver::Catalogue& catalogue) const { return action_(catalogue); }

 private:
  int show_help(bool quiet) const {
    if (!quiet) put(help_of(app_));
    return 0;
  }

  CLI::App* add(const char* name, const char* help, unsigned flags, const char* names,
                std::function<int(const driver::Catalogue&)> action) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->callback([this, action = std::move(action)] { action_ = action; });
    if (names) command->add_option("lesson", options_.names, names);
    add_flags(*command, options_.choice, flags);
    if (flags & kCaseFlags) add_launch(command);
    return command;
  }

  void add_launch(CLI::App* command) {
    command->add_option("--launcher", options_.launcher,
                        "a command that starts each lesson program: srun --gres=gpu:1");
    command
        ->add_option("--time-limit", options_.time_limit,
                     "seconds that a lesson program may take (600)")
        ->check(no_time);
  }

  void add_outputs(CLI::App* command) {
    command->add_option("--json", options_.json, "write the results, in Google Benchmark's format");
    command->add_option("--csv", options_.csv, "write one line per row, in SI units");
    command->add_option("--markdown", options_.markdown, "write the tables");
    command->add_option("--html", options_.html, "write tables and pictures as one page");
    command->add_option("--svg", options_.svg,
                        "write the roofline, or the curve of a sweep (needs gnuplot)");
    command->add_option("--png", options_.png, "the same as PNG");
  }

  void add_lookers() {
    add("list", "show the lessons and their questions; with a LESSON, --op or --size their cases",
        kBackendFlag | kAxisFlags, kLessons,
        [this](const driver::Catalogue& c) { return driver::run_list(c, options_); });
    add("doctor", "show what this machine has, and how to get what is missing", kBackendFlag,
        nullptr, driver::run_doctor);
    CLI::App* machine_code =
        add("asm", "show the machine code of LESSON/VARIANT: its hottest loop, counted",
            kBackendFlag, "a variant: 01_NAME/VARIANT",
            [this](const driver::Catalogue& c) { return driver::run_asm(c, options_, asm_); });
    machine_code->get_option("lesson")->required();
    machine_code->add_option("--kernel", asm_.kernel, "of this function, a part of its name");
    machine_code->add_option("--against", asm_.against, "another variant next to it");
    machine_code->add_flag("--sass", asm_.sass, "every instruction of a GPU's function");
    machine_code->add_flag("--ptx", asm_.ptx, "the same as PTX, from which the GPU's code is made");
    machine_code->add_flag("--loop", asm_.loop, "every instruction of the hottest loop");
    machine_code->add_option("--html", options_.html, "write it as a page");
    hand_over("report", "write README tables, results pages and pictures from stored results",
              "workbook_pages");
  }

  static constexpr unsigned kRun = kBackendFlag | kCaseFlags;

  void add_measurers() {
    CLI::App* run =
        add("run", "measure LESSON[/VARIANT]..., or --op OPERATION in all lessons",
            kRun | kSweepFlag | kPeerFlag, kLessons, [this](const driver::Catalogue& c) {
              return driver::run_compare(c, options_, false, text_);
            });
    CLI::App* compare =
        add("compare", "measure all lessons, or some, with a summary of baseline against optimized",
            kRun | kPeerFlag, kLessonsOrFiles, [this](const driver::Catalogue& c) {
              return driver::run_compare(c, options_, true, text_);
            });
    CLI::App* roofline = add(
        "roofline", "draw lessons, or files of results, under the roofline", kRun | kSweepFlag,
        kLessonsOrFiles,
        [this](const driver::Catalogue& c) { return driver::run_roofline(c, options_, text_); });
    for (CLI::App* command : {run, compare, roofline}) add_outputs(command);
    compare->add_flag("--first", options_.choice.first,
                      "measure only the first case of each lesson");
    compare->add_option("--save", options_.save, "keep the results under a name");
    CLI::Option* against = compare->add_option(
        "--against", options_.against,
        "a kept name, or a file of results: exit 6 if something is slower than there");
    compare
        ->add_option("--threshold", options_.threshold,
                     "the slowdown that --against tolerates, in percent (3)")
        ->needs(against)
        ->check(CLI::Range(0.0, 1000.0));
    compare->add_flag("--any-machine", options_.any_machine, "--against another machine's, too")
        ->needs(against);
    compare
        ->add_option("--jobs", options_.jobs,
                     "how many programs run at once, if --launcher gives each a machine of its own")
        ->needs(compare->get_option("--launcher"))
        ->check(CLI::Range(1, 1024));
    compare
        ->add_flag("--resume", options_.resume,
                   "continue a run with this --json that was interrupted, or lost lessons")
        ->needs(compare->get_option("--json"));
    compare->add_flag("--all-cases", options_.all_cases, "show each case in full");
  }

  void add_drawers() {
    CLI::App* timeline = add(
        "timeline", "draw what host, copies and kernels did, over time", kRun, kLessons,
        [this](const driver::Catalogue& c) { return driver::run_timeline(c, options_, trace_); });
    timeline->add_option("--svg", options_.svg, "write the timeline");
    timeline->add_option("--trace", trace_,
                         "write it in Chrome's trace format, which Perfetto opens");
    CLI::App* access =
        add("access", "draw which lanes of a warp touch which memory, on an emulated GPU",
            kAxisFlags, "variants: 01_NAME/baseline, NAME/step1_ANOTHER",
            [this](const driver::Catalogue& c) { return driver::run_access(c, options_, line_); });
    access->add_option("--svg", options_.svg, "write the picture (needs python3)");
    access->add_option("--line", line_,
                       "the source line whose request is drawn: 42, or optimized.cu:42");
    for (CLI::App* command : {timeline, access}) command->get_option("lesson")->required();
  }

  void add_tune() {
    CLI::App* tune = app_.add_subcommand(
        "tune", "search for the fastest configuration of a lesson; tune --help LESSON says how");
    add_flags(*tune, options_.choice, kBackendFlag);
    tune->set_help_flag();
    tune->add_option("lesson", tune_, "01_NAME, NAME");
    tune->prefix_command();  // the rest is for the lesson's program
    tune->callback([this, tune] {
      if (!tune_.empty()) options_.names = {tune_};
      options_.rest = tune->remaining();
      // `tune --help LESSON` is `tune LESSON --help`.
      if (driver::asks_for_help(options_) && options_.rest.size() > 1 &&
          options_.rest[1][0] != '-') {
        options_.names = {options_.rest[1]};
        options_.rest.erase(options_.rest.begin() + 1);
      }
      action_ = [this](const driver::Catalogue& c) { return driver::run_tune(c, options_); };
    });
  }

  void add_keepers() {
    CLI::App* peaks =
        add("peaks", "measure this machine's ceilings again", kBackendFlag, nullptr,
            [this](const driver::Catalogue& c) { return driver::run_peaks(c, options_); });
    peaks->add_option("--launcher", options_.launcher,
                      "a command that starts the measuring program");
    CLI::App* test = add(
        "test", "check the answers of every variant but exercises, and the harness itself",
        kBackendFlag, kLessons, [this](const driver::Catalogue& c) {
          return options_.goals ? driver::run_goals(c, options_) : driver::run_tests(c, options_);
        });
    test->add_option("--seed", options_.choice.seed,
                     "the seed of an earlier run, to repeat its inputs and sizes");
    test->add_flag("--goals", options_.goals,
                   "measure instead: do the solutions reach the exercises' goals?");
  }

  // What a teacher or a maintainer uses is another program's, which reads the rest of the line.
  void hand_over(const char* name, const char* help, const char* program) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->set_help_flag();
    command->prefix_command();
    command->callback([this, name, command, program] {
      options_.rest = command->remaining();
      options_.rest.insert(options_.rest.begin(), name);
      action_ = [this, program](const driver::Catalogue& c) {
        return driver::run_program(c, program, options_);
      };
    });
  }

  void add_student() {
    using Command = int (*)(const driver::Catalogue&, const driver::RunOptions&);
    const auto one = [&](const char* name, const char* help, Command run) {
      return add(name, help, kBackendFlag, "a lesson: 01_NAME, NAME",
                 [this, run](const driver::Catalogue& c) { return run(c, options_); });
    };
    CLI::App* check = one("check", "test and measure your exercise: is it right, is its goal met?",
                          driver::run_check);
    CLI::App* watch = one("watch", "check your exercise after each save", driver::run_watch);
    CLI::App* hint = one("hint", "show one more hint each time", driver::run_hint);
    one("next", "show the next exercise; with a LESSON the one after it", driver::run_next);
    CLI::App* reset =
        one("reset", "bring back the exercise as shipped; yours is kept", driver::run_reset);
    CLI::App* predict =
        one("predict", "answer the page's questions, then see its own", driver::run_predict);
    add("progress", "show all exercises, and how far you are", kBackendFlag, nullptr,
        [this](const driver::Catalogue& c) { return driver::run_progress(c, options_); });
    for (CLI::App* command : {check, watch, hint, reset, predict})
      command->get_option("lesson")->required();
    for (CLI::App* command : {check, watch}) {
      add_launch(command);
      command->add_flag("--fast", options_.choice.fast, "fewer and shorter samples");
    }
    check->add_option("--seed", options_.choice.seed, "the seed of an earlier check, to repeat it");
  }

  [[noreturn]] void refuse(const CLI::ParseError& e, const std::string& first) const {
    std::vector<std::string> commands;
    for (const CLI::App* command : app_.get_subcommands([](auto*) { return true; }))
      commands.push_back(command->get_name());
    const std::string near = app_.get_subcommands().empty() ? nearest(first, commands) : "";
    std::string why = e.what();
    why.erase(why.find_last_not_of(" \n") + 1);
    if (why == "lesson is required")
      throw Failure(2, first +
                           " needs a lesson: ./workbook next names an exercise, ./workbook list " +
                           "shows all lessons");
    if (!app_.get_subcommands().empty() || first.empty() || first[0] == '-')
      throw Failure(2, refusal(e, app_, "./workbook --help"));
    throw Failure(2,
                  "'" + first + "' is no command" +
                      (near.empty() ? "; see ./workbook --help" : ": did you mean " + near + "?"));
  }

  CLI::App app_{
      "GPU Performance Workbook: what an optimization is worth, measured on this machine.\n"
      "New here? ./workbook list shows the lessons, ./workbook compare LESSON measures one,\n"
      "./workbook next names an exercise for you.\n"
      "Exit codes: 0 fine, 1 wrong answer or goal missed, 2 bad usage, 3 can't run here,\n"
      "4 a lesson program crashed, hung or lost its device, 5 file trouble,\n"
      "6 slower than before (--against), 130 interrupted, 141 nobody reads the output"};
  driver::RunOptions options_;
  driver::AsmOptions asm_;
  std::string trace_, line_, text_, tune_;
  std::function<int(const driver::Catalogue&)> action_;
};

// With `only_targets` it prints what the command line needs built, a target on each line, and does
// no more: ./workbook asks for that before it builds.
int run(int argc, char** argv, bool only_targets) {
  CommandLine line;
  if (const auto code = line.parse(argc, argv, only_targets)) return *code;
  const driver::Catalogue catalogue = driver::load_catalogue();
  catalogue.need_backend(line.options().choice.backend, argv[1]);
  if (only_targets) {
    for (const std::string& target : line.targets(catalogue)) print("{}\n", target);
    return 0;
  }
  catch_interrupts();
  start_programs_as_driver();
  return line.run(catalogue);
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_targets = argc > 1 && std::string(argv[1]) == "targets";
  return run_main([&] { return run(argc - only_targets, argv + only_targets, only_targets); });
}
