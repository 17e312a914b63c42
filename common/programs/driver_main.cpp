// The driver behind ./workbook.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/failure.h"
#include "base/process.h"
#include "driver/commands.h"
#include "driver/doctor.h"

namespace {

using namespace wb;

void add_backend(CLI::App* command, RunOptions& o) {
  command->add_option("--backend", o.backend, "auto takes the GPU where one answers")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

void add_names(CLI::App* command, RunOptions& o, const char* what) {
  command->add_option("lesson", o.names, what);
}

// Flags of everything that runs lesson programs.
void add_run_flags(CLI::App* command, RunOptions& o) {
  add_backend(command, o);
  command->add_flag("--fast", o.fast, "fewer and shorter samples");
  command->add_option("--size", o.size, "small, medium, large, xlarge, or extents: n=1000,m=7");
  command->add_option("--dtype", o.dtype, "fp32, fp16, bf16");
  command->add_option("--op", o.op, "operation, where a lesson has several");
  command->add_option("--cache", o.cache, "cold (default) or hot")
      ->check(CLI::IsMember({"cold", "hot"}));
  command->add_option("--seed", o.seed, "of the input data")->check(CLI::NonNegativeNumber);
  command->add_option("--launcher", o.launcher,
                      "put before each lesson program: srun --gres=gpu:1");
  command->add_option("--time-limit", o.time_limit, "seconds a lesson program may take (600)")
      ->check(CLI::PositiveNumber);
}

void add_outputs(CLI::App* command, RunOptions& o) {
  command->add_option("--json", o.json, "write the results, in Google Benchmark's format");
  command->add_option("--csv", o.csv, "write a line a row, in SI units");
  command->add_option("--markdown", o.markdown, "write the tables");
  command->add_option("--svg", o.svg,
                      "write the roofline, or the curve of a sweep (needs gnuplot)");
  command->add_option("--png", o.png, "the same as PNG");
}

// With `only_targets` it prints what the command line needs built, a line each, and runs nothing.
int run(int argc, char** argv, bool only_targets) {
  CLI::App app(
      "GPU Performance Workbook: what an optimization is worth, measured on this machine.\n"
      "Exit codes: 0 fine, 1 wrong answer or goal missed, 2 bad usage, 3 can't run here, 4 a "
      "lesson\n"
      "program crashed, hung or lost its device, 5 file trouble, 130 interrupted");
  app.name("./workbook");
  app.require_subcommand(0, 1);
  RunOptions options;
  ReportOptions report;
  std::string trace;
  const char* kLessons = "chapters or lessons: ch1, 08_coalescing, walk/optimized";

  CLI::App* list = app.add_subcommand("list", "the lessons; with a LESSON its cases");
  add_names(list, options, kLessons);
  add_backend(list, options);
  CLI::App* one = app.add_subcommand("run", "run LESSON[/VARIANT]...");
  add_names(one, options, kLessons);
  one->get_option("lesson")->required();
  CLI::App* compare =
      app.add_subcommand("compare", "baseline against optimized: all lessons, or some");
  add_names(compare, options, "chapters, lessons, or files of results (.json)");
  CLI::App* roofline = app.add_subcommand("roofline", "the roofline of lessons or of result files");
  add_names(roofline, options, "chapters, lessons, or files of results (.json)");
  for (CLI::App* command : {one, compare, roofline}) {
    add_run_flags(command, options);
    add_outputs(command, options);
  }
  for (CLI::App* command : {one, roofline})
    command->add_option("--sweep", options.sweep, "walk an axis of the lesson: batch, size, ...");
  for (CLI::App* command : {one, compare})
    command->add_option("--peer", options.peer, "another library beside it: pytorch")
        ->check(CLI::IsMember({"pytorch"}));
  CLI::App* timeline =
      app.add_subcommand("timeline", "what host, copies and kernels did, over time");
  add_names(timeline, options, kLessons);
  timeline->get_option("lesson")->required();
  add_run_flags(timeline, options);
  timeline->add_option("--svg", options.svg, "write the timeline");
  timeline->add_option("--trace", trace, "write it in Chrome's trace format (open it in Perfetto)");
  CLI::App* peaks = app.add_subcommand("peaks", "measure this machine's ceilings again");
  add_backend(peaks, options);
  peaks->add_option("--launcher", options.launcher, "put before the program that measures");
  CLI::App* test = app.add_subcommand("test", "check every variant, and the harness itself");
  add_names(test, options, kLessons);
  add_backend(test, options);
  CLI::App* write = app.add_subcommand("report", "README tables and pictures from stored results");
  write->add_flag("--markdown", report.markdown, "write the tables between their markers");
  write->add_flag("--check", report.check, "exit 1 when a table differs");
  write->add_flag("--pictures", report.pictures,
                  "write common/results/MACHINE_roofline.svg and a picture a sweep");
  CLI::App* doctor =
      app.add_subcommand("doctor", "what was found here, and how to mend what is missing");
  add_backend(doctor, options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (only_targets) return 0;
    if (e.get_exit_code() == 0) return app.exit(e);
    std::vector<std::string> commands;
    for (const CLI::App* command : app.get_subcommands([](auto*) { return true; }))
      commands.push_back(command->get_name());
    const std::string near =
        argc > 1 && app.get_subcommands().empty() ? nearest(argv[1], commands) : "";
    std::string why = e.what();
    why.erase(why.find_last_not_of(" \n") + 1);
    throw Failure(
        2, why + (near.empty() ? "; see ./workbook --help" : ": did you mean " + near + "?"));
  }
  if (app.get_subcommands().empty()) {
    if (only_targets) return 0;
    fmt::print("{}", app.help());
    return 0;
  }
  std::string command_line = "./workbook";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    command_line += word.find(' ') == std::string::npos ? " " + word : " '" + word + "'";
  }

  const Catalogue catalogue = load_catalogue();
  if (only_targets) {
    for (const std::string& target :
         targets(catalogue, app.get_subcommands().front()->get_name(), options))
      fmt::print("{}\n", target);
    return 0;
  }
  if (options.backend == "cuda" && !catalogue.cuda)
    throw Failure(3, "this build has no CUDA variants: ./workbook " + std::string(argv[1]) +
                         " --backend=cuda builds them, with nvcc");
  catch_interrupts();
  if (*list) return run_list(catalogue, options);
  if (*one) return run_compare(catalogue, options, false, command_line);
  if (*compare) return run_compare(catalogue, options, true, command_line);
  if (*roofline) return run_roofline(catalogue, options, command_line);
  if (*timeline) return run_timeline(catalogue, options, trace);
  if (*peaks) return run_peaks(catalogue, options);
  if (*test) return run_tests(catalogue, options);
  if (*write) return run_report(catalogue, report);
  return run_doctor(catalogue);
}

}  // namespace

int main(int argc, char** argv) {
  // ./workbook asks this before it builds. What is wrong with the words the command itself says.
  if (argc > 1 && std::string(argv[1]) == "targets") try {
      return run(argc - 1, argv + 1, true);
    } catch (const std::exception&) {
      return 0;
    }
  try {
    return run(argc, argv, false);
  } catch (const Failure& e) {
    fmt::print(stderr, "workbook: {}\n", e.what());
    return e.code;
  } catch (const std::exception& e) {  // files: the message names which
    fmt::print(stderr, "workbook: {}\n", e.what());
    return 5;
  }
}
