// What a teacher uses, behind ./workbook export and ./workbook grade.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/process.h"
#include "classroom/export.h"
#include "classroom/grade.h"
#include "classroom/grade_one.h"
#include "programs/flags.h"
#include "programs/under_driver.h"

namespace {

using namespace wb;

int run(int argc, char** argv) {
  CLI::App app("What a teacher uses: export, grade.");
  app.name("./workbook");
  app.require_subcommand(1);
  driver::RunOptions options;
  classroom::GradeOptions grading;
  std::string folder;
  bool no_hints = false;

  CLI::App* hand_out = app.add_subcommand(
      "export", "make a tree to hand out: exercises as shipped, without solutions");
  hand_out->add_option("folder", folder, "a folder that is not there yet")->required();
  hand_out->add_option("lesson", options.names, "chapters or lessons: ch1, 01_NAME");
  hand_out->add_flag("--no-hints", no_hints, "without the pages' hints, too");

  CLI::App* grade = app.add_subcommand(
      "grade", "judge students' exercises, each in a sandbox, by the workbook as committed");
  grade->add_option("folder", grading.folders, "students' trees, or folders of such")->required();
  grade->add_option("--lesson", options.names,
                    "grade only these lessons; otherwise all that a student changed");
  add_flags(*grade, options.choice, kBackendFlag);
  grade
      ->add_option("--jobs", grading.jobs,
                   "how many to build and test at once (1); with --launcher: to grade at once")
      ->check(CLI::Range(1, 1024));
  grade->add_option("--launcher", options.launcher,
                    "a command that starts the grading of a file on a machine of its own");
  grade
      ->add_option("--launcher-limit", grading.launcher_limit,
                   "seconds for a file with --launcher, its wait for a machine included (7200)")
      ->check(no_time);
  grade->add_flag("--resume", grading.resume, "continue a run that did not finish");
  grade->add_option("--time-limit", options.time_limit, "seconds that tests may take (600)")
      ->check(no_time);
  grade->add_flag("--fast", options.choice.fast, "fewer and shorter samples");
  grade->add_option("--json", options.json, "write everything that was found");
  grade->add_option("--csv", options.csv, "write one line for each student and exercise");
  grade->add_option("--html", options.html, "write a page about the class");
  grade->add_option("--junit", grading.junit, "write the verdicts as JUnit XML");
  grade->add_option("--gradescope", grading.gradescope,
                    "write Gradescope's results.json of a student");
  grade->add_option("--pages", grading.pages,
                    "write the evidence for each student's verdicts to a folder");

  CLI::App* one = app.add_subcommand("grade-one")->group("");  // what the launcher starts
  one->add_option("task", folder)->required();
  if (!parse(app, argc, argv, fmt::format("./workbook {} --help", argc > 1 ? argv[1] : "")))
    return 0;
  const driver::Catalogue catalogue = driver::load_catalogue();
  catalogue.need_backend(options.choice.backend, "grade");
  catch_interrupts();
  start_programs_as_driver();
  if (*hand_out) return classroom::run_export(catalogue, options.names, folder, !no_hints);
  return *one ? classroom::run_grade_one(catalogue, folder)
              : classroom::run_grade(catalogue, options, grading);
}

}  // namespace

int main(int argc, char** argv) {
  return run_main([&] { return run(argc, argv); });
}
