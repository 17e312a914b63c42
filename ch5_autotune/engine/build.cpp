#include "build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/build_info.h"
#include "base/files.h"
#include "base/process.h"
#include "model/ceilings.h"

namespace tune {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 120;  // seconds for a compiler

std::string source_of(const Tunable& tunable) {
  return fs::path(wb::source_folder()) / tunable.lesson / tunable.source;
}

bool is_cuda(const Tunable& tunable) { return tunable.source.ends_with(".cu"); }

std::vector<std::string> macros(const Space& space, const Configuration& configuration) {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < configuration.size(); ++i)
    if (const Parameter& p = space.parameters()[i]; !p.at_launch)
      options.push_back(fmt::format("-D{}={}", p.name, p.values[configuration[i]]));
  return options;
}

std::vector<std::string> options_of(const Tunable& tunable, const Space& space,
                                    const Configuration& configuration) {
  std::vector<std::string> options = {"-std=c++20",
                                      "-I" + std::string(wb::source_folder()) + "/common/include"};
  if (!is_cuda(tunable))
    for (const char* o : {"-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"})
      options.push_back(o);
  for (std::string& macro : macros(space, configuration)) options.push_back(std::move(macro));
  return options;
}

// The text of a file and of what it includes by "...", from where the compiler would take it.
std::string closure(const fs::path& file, std::set<std::string>& seen) {
  if (!seen.insert(fs::weakly_canonical(file).string()).second) return "";
  const std::string text = wb::read_file(file.string());
  std::string all = text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::string name = line.substr(10, line.find('"', 10) - 10);
    const fs::path library = fs::path(wb::source_folder()) / "common/include";
    for (const fs::path& folder : {file.parent_path(), library})
      if (fs::exists(folder / name)) {
        all += closure(folder / name, seen);
        break;
      }
  }
  return all;
}

// "candidate.cpp:7: error: ..." of what a compiler said.
std::string first_error(const std::string& said) {
  std::istringstream lines(said);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos) return line;
  }
  return first;
}

}  // namespace

#ifndef WB_WITH_CUDA
Resources compile_cuda(const std::string&, const std::vector<std::string>&, const Limits&,
                       const std::string&) {
  throw std::runtime_error("this build has no CUDA");
}
Limits cuda_limits() { throw std::runtime_error("this build has no CUDA"); }
#endif

std::string cache_folder() {
  const std::string folder = fs::path(wb::ceilings_path({})).parent_path().string() + "/tuned";
  std::error_code ignored;  // who writes there says what is wrong
  fs::create_directories(folder, ignored);
  return folder;
}

Limits limits_of(const std::string& backend) {
  if (backend != "cpu") return cuda_limits();
  Limits limits;
  limits.cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__x86_64__)
  limits.vector_bytes = __builtin_cpu_supports("avx512f") ? 64
                        : __builtin_cpu_supports("avx")   ? 32
                                                          : 16;
#else
  limits.vector_bytes = 16;
#endif
  const auto cache = [](int name, double otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? static_cast<double>(bytes) : otherwise;
  };
  limits.l1_bytes = cache(_SC_LEVEL1_DCACHE_SIZE, 32 << 10);
  limits.l2_bytes = cache(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
  return limits;
}

std::string object_key(const Tunable& tunable, const Space& space,
                       const Configuration& configuration, const Limits& limits) {
  std::set<std::string> seen;
  const std::string all =
      fmt::format("{}\n{}\n{} {} {}\n{}", WB_COMPILER,
                  fmt::join(options_of(tunable, space, configuration), " "), limits.compute,
                  limits.vector_bytes, limits.cores, closure(source_of(tunable), seen));
  return fmt::format("{}-{}-{:016x}", fs::path(tunable.lesson).filename().string(), tunable.backend,
                     std::hash<std::string>{}(all));
}

Resources compile(const Tunable& tunable, const Space& space, const Configuration& configuration,
                  const Limits& limits, const std::string& object) {
  const std::vector<std::string> options = options_of(tunable, space, configuration);
  const std::string part = fmt::format("{}.{}", object, ::getpid());
  Resources resources;
  if (is_cuda(tunable)) {
    resources = compile_cuda(source_of(tunable), options, limits, part);
  } else {
    std::vector<std::string> command = wb::split_words(WB_COMPILER);
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {source_of(tunable), "-o", part});
    const wb::Outcome outcome = wb::run_process(command, kPatience);
    if (!outcome.fine()) {
      fs::remove(part);
      throw std::runtime_error(outcome.timed_out
                                   ? fmt::format("not compiled within {:g} s", kPatience)
                                   : first_error(outcome.errors));
    }
  }
  fs::rename(part, object);
  return resources;
}

}  // namespace tune
