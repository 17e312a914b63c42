#include "classroom/official.h"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "base/alive.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/launched.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"

namespace wb::classroom {

namespace fs = std::filesystem;

std::string output_of(const std::vector<std::string>& command) {
  const Outcome outcome = run_process(command, 600);
  const std::string program = command[0] == "env" ? "git" : command[0];
  if (outcome.code == 127) throw Failure(2, program + " is not installed, and is asked here");
  if (outcome.errors.find("dubious ownership") != std::string::npos)  // git says what to do
    throw Failure(2, program + ": " + outcome.errors);
  if (!outcome.fine()) throw Failure(3, program + ": " + outcome.errors);
  return outcome.output;
}

std::vector<std::string> git(const fs::path& folder, const std::vector<std::string>& words,
                             bool any_settings) {
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}) ::unsetenv(name);
  std::vector<std::string> command = {"env", "GIT_ATTR_NOSYSTEM=1"};
  if (!any_settings)
    command.insert(command.end(), {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"});
  command.insert(command.end(), {"git", "-C", folder.string()});
  for (const char* setting :
       {"core.autocrlf=false", "core.eol=lf", "core.attributesFile=/dev/null"})
    command.insert(command.end(), {"-c", setting});
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

void unpack_commit(const driver::Catalogue& catalogue, const fs::path& tree,
                   std::vector<std::string> patterns) {
  const Scratch scratch(tree.parent_path());
  const std::string archive = scratch.file("tree.tar");
  patterns.insert(patterns.begin(), {"archive", "-o", archive, "HEAD"});
  output_of(git(catalogue.source, patterns));
  fs::create_directory(tree);
  output_of({"tar", "-x", "-f", archive, "-C", tree.string()});
}

std::string first_error(const std::string& said) {
  for (const char* sign : {"error: ", "rror"}) {
    std::istringstream lines(said);
    for (std::string line; std::getline(lines, line);)
      if (line.find(sign) != std::string::npos) return line.substr(line.find_first_not_of(" \t"));
  }
  return said;
}

std::string as_shipped(const std::string& exercise) {
  return replace_pattern(exercise, R"((\nWB_[A-Z]+\([^,;]+, )exercise,)", "$1shipped,");
}

namespace {

// A variant `shipped` in each lesson, and the place of a student's file among the headers.
void add_shipped(const driver::Catalogue& teachers, const fs::path& tree, const fs::path& headers) {
  for (const driver::Lesson& lesson : teachers.lessons)
    for (const driver::BuiltBackend& b : teachers.backends) {
      const fs::path shipped = tree / lesson.path / ("exercise" + b.extension);
      if (!fs::exists(shipped)) continue;
      write_atomically((tree / lesson.path / ("shipped" + b.extension)).string(),
                       as_shipped(read_file(shipped.string())));
      fs::create_directories(headers / lesson.path);
      write_atomically((headers / lesson.path / shipped.filename()).string(), "");
    }
}

void configure(const driver::Catalogue& teachers, const fs::path& tree, const fs::path& build) {
  const std::string cache = read_file((teachers.build / "CMakeCache.txt").string());
  std::vector<std::string> command = {
      "cmake", "-S",          tree.string(), "--preset", teachers.build.filename().string(),
      "-B",    build.string()};
  for (const char* name : {"CMAKE_CXX_COMPILER", "WB_CUDA_ARCHITECTURES"})
    if (const auto is = find_pattern(cache, std::string("\n") + name + ":\\w+=(.+)"); !is.empty())
      command.push_back(fmt::format("-D{}={}", name, is[1]));
  const Outcome outcome = run_process(command, 600);
  if (!outcome.fine())
    throw Failure(3,
                  "cannot grade here: CMake cannot configure it: " + first_error(outcome.errors));
}

}  // namespace

Official::Official(const driver::Catalogue& teachers) : folder_(teachers.build / "grade") {
  commit_ = output_of(git(teachers.source, {"rev-parse", "HEAD"}));
  commit_.pop_back();  // the line's end
  const fs::path tree = folder_ / "tree", headers = folder_ / "headers",
                 build = tree / "build" / teachers.build.filename(),  // where ccache knows it
      made = folder_ / "commit";
  fs::create_directories(folder_);
  if (!fs::exists(made) || read_file(made.string()) != commit_) {
    tell("grade: a clean tree of commit {}", commit_.substr(0, 7));
    for (const fs::path& old : {made, tree, headers}) fs::remove_all(old);
    unpack_commit(teachers, tree, {".", ":(exclude,glob)common/tests/**/*.c*"});
    fs::remove(tree / "common/tests/harness.cmake");  // lessons alone are built
    unpack_commit(teachers, headers, {"."});          // a compiler sees no answers
    // What is no header is there and empty, so that a compiler says that it was asked for.
    for (const auto& entry : fs::recursive_directory_iterator(headers))
      if (entry.is_regular_file() && !entry.path().extension().string().ends_with('h'))
        fs::resize_file(entry.path(), 0);
    add_shipped(teachers, tree, headers);
    configure(teachers, tree, build);
    write_atomically(made.string(), commit_);
  }
  catalogue_ = driver::load_catalogue(build);
}

Official::Official(const driver::Catalogue& teachers, const std::string& commit)
    : folder_(teachers.build / "grade"),
      commit_(commit),
      catalogue_(driver::load_catalogue(folder_ / "tree/build" / teachers.build.filename())) {}

void Official::build(const std::vector<driver::Exercise>& exercises) const {
  std::vector<std::string> ninja = {"ninja", "-C", catalogue_.build.string(), "peaks"};
  if (const char* jobs = std::getenv("WB_JOBS")) ninja.push_back(std::string("-j") + jobs);
  for (const driver::Exercise& e : exercises)
    for (const char* form : {"{}", "{}_test", "exercise_{}"})
      ninja.push_back(fmt::format(fmt::runtime(form), e.lesson->program));
  tell("grade: building the lessons that hand-ins are compared with");
  std::string failed;
  Alive alive("building");
  const Outcome outcome = run_process(ninja, 24 * 3600, [&](const std::string& line) {
    if (line.starts_with('[')) alive.now("building " + line.substr(0, line.find(' ')));
    if (line.starts_with("FAILED") || line.find("error") != std::string::npos)
      failed += line + "\n";
  });
  if (!outcome.fine())
    throw Failure(3, "cannot grade here: the workbook as committed does not build: " +
                         first_error(failed + outcome.errors));
}

}  // namespace wb::classroom
