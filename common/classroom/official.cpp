#include "classroom/official.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

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
    for (const driver::Lesson& lesson : teachers.lessons)
      for (const driver::BuiltBackend& b : teachers.backends) {
        const fs::path shipped = tree / lesson.path / ("exercise" + b.extension);
        if (!fs::exists(shipped)) continue;
        write_atomically((tree / lesson.path / ("shipped" + b.extension)).string(),
                         replace_pattern(read_file(shipped.string()),
                                         R"((\nWB_[A-Z]+\(\w+, )exercise,)", "$1shipped,"));
        fs::create_directories(headers / lesson.path);  // where a student's file is seen
        write_atomically((headers / lesson.path / shipped.filename()).string(), "");
      }
    const std::string cache = read_file((teachers.build / "CMakeCache.txt").string());
    std::vector<std::string> configure = {
        "cmake", "-S",          tree.string(), "--preset", teachers.build.filename().string(),
        "-B",    build.string()};
    for (const char* name : {"CMAKE_CXX_COMPILER", "WB_CUDA_ARCHITECTURES"})
      if (const auto is = find_pattern(cache, std::string("\n") + name + ":\\w+=(.+)"); !is.empty())
        configure.push_back(fmt::format("-D{}={}", name, is[1]));
    const Outcome outcome = run_process(configure, 600);
    if (!outcome.fine())
      throw Failure(3,
                    "cannot grade here: CMake cannot configure it: " + first_error(outcome.errors));
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
  const Outcome outcome = run_process(ninja, 24 * 3600, [&](const std::string& line) {
    if (has_cursor(2)) put_error("\r\033[K" + line.substr(0, line.find(' ')));
    if (line.starts_with("FAILED") || line.find("error") != std::string::npos)
      failed += line + "\n";
  });
  if (has_cursor(2)) put_error("\r\033[K");
  if (!outcome.fine())
    throw Failure(3, "cannot grade here: the workbook as committed does not build: " +
                         first_error(failed + outcome.errors));
}

namespace {

std::string quoted(const std::string& word) {  // for a shell
  return "'" + replace_pattern(word, "'", "'\\''") + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += quoted(word) + " ";
  return line;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

const long half_of_memory = ::sysconf(_SC_PHYS_PAGES) / 2 * ::sysconf(_SC_PAGE_SIZE);

}  // namespace

Sandbox::Sandbox(const Official& official) : official_(official), name_("limits") {
  std::vector<std::string> trial = box(false);
  trial.push_back("true");
  const Outcome outcome = run_process(trial, 10);
  if (outcome.fine()) {
    wrapped_ = true, name_ = "bubblewrap";
    return;
  }
  not_held_ = fmt::format(
      "exercises can reach the network, read and write files, and see and start programs: {}",
      outcome.code == 127
          ? "bubblewrap prevents that (apt-get install bubblewrap)"
          : "bubblewrap does not work here: " +
                how_it_ended(outcome, outcome.errors.substr(0, outcome.errors.find('\n'))));
}

// Nothing but the system's programs and libraries, to read; 64 MiB to write to, in memory.
std::vector<std::string> Sandbox::box(bool shares_processes) const {
  std::vector<std::string> words = {"bwrap",
                                    "--unshare-user",
                                    "--unshare-net",
                                    "--unshare-uts",
                                    "--unshare-cgroup-try",
                                    "--die-with-parent",
                                    "--clearenv",
                                    "--setenv",
                                    "PATH",
                                    "/usr/local/bin:/usr/bin:/bin",
                                    "--setenv",
                                    "HOME",
                                    "/tmp"};
  if (!shares_processes) words.insert(words.end(), {"--unshare-pid", "--unshare-ipc"});
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE",
                           "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_PATH"})
    if (const char* value = std::getenv(name)) words.insert(words.end(), {"--setenv", name, value});
  for (const char* folder : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/sys",
                             "/etc/alternatives", "/etc/ld.so.cache"})
    words.insert(words.end(), {"--ro-bind-try", folder, folder});
  words.insert(words.end(), {"--proc", "/proc", "--dev", "/dev"});
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/dev", none))
    if (const std::string device = entry.path().string(); device.starts_with("/dev/nvidia"))
      words.insert(words.end(), {"--dev-bind-try", device, device});
  for (const char* folder : {"/dev/shm", "/tmp"})
    words.insert(words.end(), {"--size", std::to_string(64 << 20), "--tmpfs", folder});
  return words;
}

// Starts the program in its sandbox, as a program of its name.
std::string Sandbox::script(const std::string& program, const std::string& real, bool gpu) const {
  // Other programs of these names may come first in PATH, and know fewer flags.
  const std::string shell = "#!/bin/sh\nPATH=/usr/bin:/bin:$PATH\n";
  std::string script = shell + "exec ";
  const std::string limits =
      fmt::format("prlimit --data={} --fsize={} --core=0 ", half_of_memory, 64 << 20);
  if (wrapped_) {
    const std::string inside = "/run/" + program;
    // The program comes as a file that is open, so that nobody, whom root becomes, can read it.
    script = shell + fmt::format("exec 9< {}\nexec ", quoted(real));
    if (::getuid() == 0 && !gpu) script += "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    std::vector<std::string> words = box(gpu);
    words.insert(words.end(), {"--perms", "0755", "--ro-bind-data", "9", inside, "--remount-ro",
                               "/", "--remount-ro", "/dev", "choom", "-n", "1000", "--"});
    script += joined(words) + limits + (gpu ? "" : "--nproc=512 ") + inside + " \"$@\"\n";
  } else {
    script += limits + quoted(real) + " \"$@\"\n";
  }
  return script;
}

std::string Sandbox::read_by_compiler(const fs::path& place) {
  const fs::path file = place / "exercise.o.d";  // CMake has each compiler write one
  return fs::exists(file) ? read_file(file.string()) : "";
}

std::string Sandbox::compile(const driver::Exercise& e, const fs::path& source,
                             const fs::path& place, double seconds) const {
  const driver::Catalogue& catalogue = official_.catalogue();
  const std::string build = catalogue.build.string(), tree = catalogue.source.string(),
                    program = "exercise_" + e.lesson->program, real = (place / program).string(),
                    object = (place / "exercise.o").string();
  // The two commands of the official exercise, with other files to write to.
  std::istringstream all(output_of({"ninja", "-C", build, "-t", "commands", "bin/" + program}));
  const std::string own = driver::object_of(e);
  std::string commands = ":", line;
  std::vector<std::string> needed;  // other files of the build that are linked
  while (std::getline(all, line)) {
    if (line.find(own) == line.npos) continue;
    replace_all(line, own, object);
    replace_all(line, "-o bin/" + program, "-o " + quoted(real));
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (!word.starts_with('/') && fs::is_regular_file(catalogue.build / word))
        needed.push_back(build + "/" + word);
    commands += " && " + line;
  }
  std::vector<std::string> command;
  if (wrapped_) {
    command = box(false);
    command.insert(command.end(),
                   {"--ro-bind", (official_.folder() / "headers").string(), tree, "--ro-bind",
                    source.string(), e.file.string(), "--bind", place.string(), place.string(),
                    "--setenv", "CCACHE_DISABLE", "1"});
    for (const char* folder : {"CMakeFiles", "rooms"}) needed.push_back(build + "/" + folder);
    for (const std::string& path : needed) {
      const fs::path seen =
          official_.folder() / "headers" / fs::path(path).lexically_relative(tree);
      fs::create_directories(fs::is_directory(path) ? seen : seen.parent_path());
      if (!fs::exists(seen)) write_atomically(seen.string(), "");
      command.insert(command.end(), {"--ro-bind", path, path});
    }
    command.insert(command.end(), {"--chdir", build});
  } else {
    replace_all(commands, e.file.string(),
                fmt::format("-I{} {}", e.file.parent_path().string(), source.string()));
    command = {"env", "CCACHE_DISABLE=1"};
  }
  command.insert(command.end(),
                 {"prlimit", fmt::format("--data={}", half_of_memory),
                  fmt::format("--fsize={}", 256 << 20), "--core=0", "sh", "-c", commands});
  fs::create_directories(place / "bin");
  fs::remove(object + ".d");
  const Outcome outcome = run_process(command, seconds, {}, {}, wrapped_ ? "" : build);
  if (outcome.timed_out) return fmt::format("the compiler took more than {:g} s", seconds);
  if (!outcome.fine()) {
    std::string said = (outcome.errors + outcome.output).substr(0, 1 << 16);  // of up to 64 MiB
    replace_all(said, source.string(), e.file.filename().string());
    replace_all(said, tree + "/", "");
    return said.empty() ? "the compiler said nothing: " + how_it_ended(outcome, "") : said;
  }
  fs::remove(object);

  for (const std::string& judge : {e.lesson->program, e.lesson->program + "_test"}) {
    fs::remove(place / "bin" / judge);
    fs::create_symlink(catalogue.bin / judge, place / "bin" / judge);
  }
  write_atomically((place / "bin" / program).string(), script(program, real, e.on->accelerator));
  fs::permissions(place / "bin" / program, fs::perms(0755));
  return "";
}

}  // namespace wb::classroom
