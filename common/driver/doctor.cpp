#include "driver/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/build_info.h"
#include "base/output.h"
#include "base/process.h"
#include "driver/catalogue.h"

namespace wb::driver {
namespace {

namespace fs = std::filesystem;
using Pairs = std::map<std::string, std::string>;

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// "" without such a file; those of /proc don't say how long they are.
std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What stands between two marks; "" when one of them is missing.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const auto start = text.find(before), end = text.find(after, start + before.size());
  if (start == std::string::npos || end == std::string::npos) return "";
  return text.substr(start + before.size(), end - start - before.size());
}

// Lines "key : value", or "KEY:TYPE=value" with separators "=:". The first value of a key counts.
Pairs pairs(const std::string& text, const char* separators = ":") {
  Pairs pairs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const auto value = line.find(separators[0]); value != std::string::npos)
      pairs.emplace(trim(line.substr(0, line.find_first_of(separators))),
                    trim(line.substr(value + 1)));
  return pairs;
}

std::string get(const Pairs& pairs, const std::string& key) {
  const auto entry = pairs.find(key);
  return entry == pairs.end() || entry->second.ends_with("NOTFOUND") ? "" : entry->second;
}

struct Examination {
  const Catalogue& catalogue;
  const Machine& machine;
  const Pairs build = pairs(contents(catalogue.build / "CMakeCache.txt"), "=:");
  const std::string gpus =  // the driver's version, a line a GPU
      run({"nvidia-smi", "--format=csv,noheader", "--query-gpu=driver_version"});
  const std::string compiler = get(build, "CMAKE_CUDA_COMPILER");
  const bool built = !compiler.empty();  // with the CUDA toolkit
  const std::string afresh = "rm -r " + catalogue.build.string();
  std::string cuda{};  // version of the toolkit
  std::vector<Finding> findings{};

  // What is not there ("") is not well.
  void add(bool well, const std::string& subject, const std::string& found,
           const std::string& advice = "", Health otherwise = Health::note) {
    well = well && !found.empty();
    findings.push_back({well ? Health::ok : otherwise, subject, found.empty() ? "not found" : found,
                        well ? "" : advice});
  }
  std::string file(const char* path) const { return trim(contents(machine.root / path)); }
  std::string run(const std::vector<std::string>& command) const {
    return trim(machine.run(command));
  }

  void tools() {
    add(true, "compiler", get(build, "CMAKE_CXX_COMPILER") + " " __VERSION__);
    add(true, "gnuplot", run({"gnuplot", "--version"}),
        "plots need it: apt-get install gnuplot-nox");
    std::string blas;
    for (const auto& [key, value] : build)
      if (key.starts_with("BLAS_") && key.ends_with("_LIBRARY") && !get(build, key).empty())
        blas = run({"readlink", "-f", value});  // Debian's links lead to the one in use
    const bool reference = blas.find("/blas/libblas") != std::string::npos;
    // The name first, so that a narrow screen breaks the line behind it.
    const fs::path file = blas;
    add(!reference, "BLAS",
        blas.empty() ? "" : file.filename().string() + " in " + file.parent_path().string(),
        std::string(reference ? "this one is slow: " : "") + "apt-get install libopenblas-dev");
    add(true, "oneDNN", get(build, "DNNL_LIBRARY"),
        "often the faster yardstick: apt-get install libdnnl-dev, then " + afresh);
    for (const std::string& peer : peer_names())
      add(true, "peer " + peer,
          run({"python3", catalogue.source / "common/peer" / (peer + ".py"), "--version"}),
          "no lesson needs it; some pages show its times");
  }

  void toolkit() {
    std::vector<std::string> places = {"nvcc", "/usr/local/cuda/bin/nvcc"};
    if (built) places = {compiler};
    std::string found;
    for (std::size_t i = 0; i < places.size() && found.empty(); ++i)
      if (cuda = between(run({places[i], "--version"}), "release ", ","); !cuda.empty())
        found = cuda + ", " + places[i] + (built ? "" : ", not in this build");
    add(built, "CUDA toolkit", found,
        built ? "the compiler of this build is gone: start afresh, " + afresh
        : found.empty()
            ? "CUDA variants need version 12 or later: developer.nvidia.com/cuda-downloads"
            : "start with --backend=cuda to build the CUDA variants too",
        built ? Health::missing : Health::note);
  }

  void driver() {
    if (gpus.empty()) {
      const bool loaded = fs::exists(machine.root / "proc/driver/nvidia/version");
      add(false, "NVIDIA driver", loaded ? "loaded, but nvidia-smi fails" : "not loaded",
          loaded ? "run nvidia-smi and see; after an update of the driver, restart"
                 : "install it, or give the container its GPU (docker run --gpus all)",
          Health::missing);
      return;
    }
    std::string supports;  // an old one does not say
    for (const auto& [key, value] : pairs(run({"nvidia-smi", "--version"})))
      if (key.starts_with("CUDA")) supports = value;
    add(supports.empty() || std::atoi(supports.c_str()) >= std::atoi(cuda.c_str()), "NVIDIA driver",
        gpus.substr(0, gpus.find('\n')) + (supports.empty() ? "" : ", for CUDA up to " + supports),
        "too old for this build's CUDA " + cuda + ": update the driver", Health::missing);
    if (built)
      add(true, "CUPTI", get(build, "CUDA_cupti_LIBRARY"),
          "goodput needs it; it comes with the CUDA Toolkit, in extras/CUPTI", Health::missing);
    const bool shut = get(pairs(file("proc/driver/nvidia/params")), "RmProfilingAdminOnly") == "1";
    add(!shut || geteuid() == 0, "GPU counters", shut ? "for root only" : "open to everyone",
        "ncu and --counters need them, times and goodput do not: 'options nvidia "
        "NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d, then restart");
  }

  void limits() {
    // "200000 100000": that many microseconds of processor time in each such period; or "max ...".
    double time = 0, period = 0;
    if (std::istringstream(file("sys/fs/cgroup/cpu.max")) >> time >> period)
      add(time >= std::atoi(run({"nproc"}).c_str()) * period, "CPU limit",
          fmt::format("{:.1f} processors", time / period),
          "more threads than that stall each other: set OMP_NUM_THREADS");
  }

  // As the program that measures them says, a line a backend.
  void ceilings() {
    for (const auto& [backend, found] : pairs(run({catalogue.bin / "peaks", "--known"}))) {
      const bool none = found == "not measured yet";
      add(found.starts_with("measured"), backend + " ceilings", found,
          none ? "the first run does, or ./workbook peaks" : "see above",
          none ? Health::note : Health::missing);
    }
  }
};

}  // namespace

std::vector<Finding> examine(const Catalogue& catalogue, const Machine& machine) {
  Examination e{catalogue, machine};
  e.tools();
  e.toolkit();
  if (e.built || !e.gpus.empty()) e.driver();
  e.limits();
  e.ceilings();
  return e.findings;
}

int doctor_code(const std::vector<Finding>& findings) {
  const auto missing = [](const Finding& f) { return f.health == Health::missing; };
  return std::ranges::any_of(findings, missing) ? 3 : 0;
}

int run_doctor(const Catalogue& catalogue) {
  const auto run = [](const std::vector<std::string>& command) {
    const Outcome outcome = run_process(command, 30);
    return outcome.fine() ? outcome.output : "";
  };
  const std::vector<Finding> findings = examine(catalogue, {"/", run});
  const bool colour = has_colours(STDOUT_FILENO);
  static constexpr std::pair<const char*, int> looks[] = {
      {"ok", 32}, {"missing", 31}, {"note", 35}};
  for (const Finding& finding : findings) {
    const auto [word, shade] = looks[static_cast<int>(finding.health)];
    const std::string text =
        fmt::format("{:8}{:16} {}", word, finding.subject, clean(finding.found));
    const std::size_t width = screen_width(std::string::npos);
    put(colour ? fmt::format("\033[{}m{:8}\033[0m", shade, word) : fmt::format("{:8}", word));
    put(wrapped(text, width, 28).substr(8) + "\n");
    if (!finding.advice.empty())
      put(wrapped(fmt::format("{:25}-> {}\n", "", finding.advice), width, 3));
  }
  return doctor_code(findings);
}

}  // namespace wb::driver
