#include "classroom/sandbox.h"

#include <fmt/format.h>
#include <unistd.h>

#include <sstream>

#include "base/files.h"
#include "base/launched.h"
#include "base/pattern.h"
#include "base/process.h"

namespace wb::classroom {

namespace fs = std::filesystem;

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

// Variables of the environment that the lesson's variants run with, and so an exercise, too: how
// many threads there are and how they wait, and what a GPU's programs need.
bool is_for_programs(const std::string& name) {
  for (const char* prefix : {"OMP_", "GOMP_", "KMP_", "OPENBLAS_", "CUDA_VISIBLE_DEVICES",
                             "LD_LIBRARY_PATH", "CUDA_PATH"})
    if (name.starts_with(prefix)) return true;
  return false;
}

// What its chapter has measured once and for all, which its lessons read.
std::vector<std::string> tables_of(const driver::Exercise& e) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(e.file.parent_path().parent_path()))
    if (entry.path().extension() == ".jsonl") found.push_back(entry.path().string());
  return found;
}

std::string object_in(const fs::path& place) { return (place / "exercise.o").string(); }

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
  for (char** setting = ::environ; *setting; ++setting) {
    const std::string text = *setting, name = text.substr(0, text.find('='));
    if (const char* value = ::getenv(name.c_str()); value && is_for_programs(name))
      words.insert(words.end(), {"--setenv", name, value});
  }
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

// Starts the program in its sandbox, as a program of its name. Files come as open ones, so that
// nobody, whom root becomes, can read them.
std::string Sandbox::script(const driver::Exercise& e, const std::string& program,
                            const std::string& real) const {
  const bool gpu = e.on->accelerator;
  // Other programs of these names may come first in PATH, and know fewer flags.
  const std::string shell = "#!/bin/sh\nPATH=/usr/bin:/bin:$PATH\n";
  std::string script = shell + "exec ";
  const std::string limits =
      fmt::format("prlimit --data={} --fsize={} --core=0 ", half_of_memory, 64 << 20);
  if (wrapped_) {
    const std::string inside = "/run/" + program;
    const std::vector<std::string> tables = tables_of(e);
    script = shell + fmt::format("exec 9< {}\n", quoted(real));
    for (std::size_t i = 0; i < tables.size(); ++i)
      script += fmt::format("exec {}< {}\n", 4 + i, quoted(tables[i]));
    script += "exec ";
    if (::getuid() == 0 && !gpu) script += "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    std::vector<std::string> words = box(gpu);
    if (!gpu) words.push_back("--new-session");  // a group that processes inside can join
    for (std::size_t i = 0; i < tables.size(); ++i)
      words.insert(words.end(), {"--ro-bind-data", std::to_string(4 + i), tables[i]});
    words.insert(words.end(), {"--perms", "0755", "--ro-bind-data", "9", inside, "--remount-ro",
                               "/", "--remount-ro", "/dev", "choom", "-n", "1000", "--"});
    script += joined(words) + limits + (gpu ? "" : "--nproc=512 ") + inside + " \"$@\"\n";
  } else {
    script += limits + quoted(real) + " \"$@\"\n";
  }
  return script;
}

std::string Sandbox::read_by_compiler(const fs::path& place) {
  const fs::path file = object_in(place) + ".d";  // CMake has each compiler write one
  return fs::exists(file) ? read_file(file.string()) : "";
}

Sandbox::Commands Sandbox::commands_of(const driver::Exercise& e, const fs::path& place) const {
  const driver::Catalogue& catalogue = official_.catalogue();
  const std::string program = "exercise_" + e.lesson->program, own = driver::object_of(e);
  std::istringstream all(
      output_of({"ninja", "-C", catalogue.build.string(), "-t", "commands", "bin/" + program}));
  Commands commands;
  for (std::string line; std::getline(all, line);) {
    if (line.find(own) == line.npos) continue;
    replace_all(line, own, object_in(place));
    replace_all(line, "-o bin/" + program, "-o " + quoted((place / program).string()));
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (!word.starts_with('/') && fs::is_regular_file(catalogue.build / word))
        commands.linked.push_back(catalogue.build / word);
    commands.text += " && " + line;
  }
  return commands;
}

std::vector<std::string> Sandbox::box_of_compiler(const driver::Exercise& e, const fs::path& source,
                                                  const fs::path& place,
                                                  std::vector<fs::path> needed) const {
  const fs::path build = official_.catalogue().build, tree = official_.catalogue().source,
                 headers = official_.folder() / "headers";
  std::vector<std::string> words = box(false);
  words.insert(words.end(), {"--ro-bind", headers.string(), tree.string(), "--ro-bind",
                             source.string(), e.file.string(), "--bind", place.string(),
                             place.string(), "--setenv", "CCACHE_DISABLE", "1"});
  for (const char* folder : {"CMakeFiles", "rooms"}) needed.push_back(build / folder);
  for (const fs::path& path : needed) {
    const fs::path seen = headers / path.lexically_relative(tree);
    fs::create_directories(fs::is_directory(path) ? seen : seen.parent_path());
    if (!fs::exists(seen)) write_atomically(seen.string(), "");
    words.insert(words.end(), {"--ro-bind", path.string(), path.string()});
  }
  words.insert(words.end(), {"--chdir", build.string()});
  return words;
}

std::string Sandbox::compile(const driver::Exercise& e, const fs::path& source,
                             const fs::path& place, double seconds) const {
  const driver::Catalogue& catalogue = official_.catalogue();
  Commands commands = commands_of(e, place);
  std::vector<std::string> command = {"env", "CCACHE_DISABLE=1"};
  if (wrapped_)
    command = box_of_compiler(e, source, place, std::move(commands.linked));
  else
    replace_all(commands.text, e.file.string(),
                fmt::format("-I{} {}", e.file.parent_path().string(), source.string()));
  command.insert(command.end(),
                 {"prlimit", fmt::format("--data={}", half_of_memory),
                  fmt::format("--fsize={}", 256 << 20), "--core=0", "sh", "-c", commands.text});
  fs::create_directories(place / "bin");
  fs::remove(object_in(place) + ".d");
  const Outcome outcome =
      run_process(command, seconds, {}, {}, wrapped_ ? "" : catalogue.build.string());
  if (outcome.timed_out) return fmt::format("the compiler took more than {:g} s", seconds);
  if (!outcome.fine()) {
    std::string said = (outcome.errors + outcome.output).substr(0, 1 << 16);  // of up to 64 MiB
    replace_all(said, source.string(), e.file.filename().string());
    replace_all(said, catalogue.source.string() + "/", "");
    return said.empty() ? "the compiler said nothing: " + how_it_ended(outcome, "") : said;
  }
  fs::remove(object_in(place));
  put_programs(e, place);
  return "";
}

void Sandbox::put_programs(const driver::Exercise& e, const fs::path& place) const {
  const std::string lesson = e.lesson->program, exercise = "exercise_" + lesson;
  for (const std::string& judge : {lesson, lesson + "_test"}) {
    fs::remove(place / "bin" / judge);
    fs::create_symlink(official_.catalogue().bin / judge, place / "bin" / judge);
  }
  const fs::path started = place / "bin" / exercise;
  write_atomically(started.string(), script(e, exercise, (place / exercise).string()));
  fs::permissions(started, fs::perms(0755));
}

}  // namespace wb::classroom
