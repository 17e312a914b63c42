#include "driver/doctor.h"

#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/process.h"
#include "driver/catalogue.h"

namespace wb {
namespace {

namespace fs = std::filesystem;
using Pairs = std::map<std::string, std::string>;

std::string trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Group 1 of the first match in a short text; "" without one.
std::string find(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? trim(match[1]) : "";
}

// Lines "key : value", or "KEY:TYPE=value" with separators "=:". The first value of a key counts.
Pairs read_pairs(const fs::path& path, const char* separators = ":") {
  Pairs pairs;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (const auto value = line.find(separators[0]); value != std::string::npos)
      pairs.emplace(trim(line.substr(0, line.find_first_of(separators))),
                    trim(line.substr(value + 1)));
  return pairs;
}

std::string get(const Pairs& pairs, const std::string& key) {
  const auto entry = pairs.find(key);
  return entry == pairs.end() || entry->second.ends_with("NOTFOUND") ? "" : entry->second;
}

class Examination {
 public:
  Examination(const Catalogue& catalogue, const Machine& machine)
      : in_build_(catalogue.cuda),
        directory_(catalogue.build.string()),
        machine_(machine),
        build_(read_pairs(catalogue.build / "CMakeCache.txt", "=:")),
        gpus_(machine.run("nvidia-smi --format=csv,noheader --query-gpu="
                          "name,compute_cap,memory.total,clocks.sm,clocks.max.sm")) {}

  std::vector<Finding> all() {
    tools();
    if (in_build_ || !gpus_.empty()) driver();
    processor();
    memory();
    return std::move(findings_);
  }

 private:
  void add(bool well, const std::string& subject, const std::string& found,
           const std::string& advice = "", Health otherwise = Health::note) {
    findings_.push_back({well ? Health::ok : otherwise, subject, found, well ? "" : advice});
  }
  // Something that is there when `found` says where or which.
  void need(const std::string& subject, const std::string& found, const std::string& advice,
            Health otherwise = Health::missing) {
    add(!found.empty(), subject, found.empty() ? "not found" : found, advice, otherwise);
  }
  // The first line of a file; "" without one.
  std::string line(const std::string& path) const {
    std::ifstream file(machine_.root / path);
    std::string text;
    std::getline(file, text);
    return trim(text);
  }
  std::string run(const std::string& command) const { return trim(machine_.run(command)); }

  void tools() {
    add(true, "compiler", get(build_, "CMAKE_CXX_COMPILER") + " " __VERSION__);
    need("CMake", find(run("cmake --version"), "version ([0-9.]+)"), "install CMake 3.25 or later");
    need("gnuplot", run("gnuplot --version"), "plots need it: apt-get install gnuplot-nox");
    std::string blas;
    for (const auto& [key, value] : build_)
      if (key.starts_with("BLAS_") && key.ends_with("_LIBRARY") && !get(build_, key).empty())
        blas = run("readlink -f '" + value + "'");
    const bool reference = blas.find("/blas/libblas") != std::string::npos;
    if (reference)
      add(false, "BLAS", blas, "this one is slow: apt-get install libopenblas-dev");
    else
      need("BLAS", blas, "apt-get install libopenblas-dev");
    need("oneDNN", get(build_, "DNNL_LIBRARY"),
         "often the faster yardstick: apt-get install libdnnl-dev, then rm -r " + directory_,
         Health::note);
    need("PyTorch", run("python3 -c 'import importlib.metadata as m; print(m.version(\"torch\"))'"),
         "no lesson needs it; some quote its times", Health::note);

    const std::string nvcc = run("command -v nvcc || ls /usr/local/cuda/bin/nvcc");
    if (in_build_) {
      toolkit_ = get(build_, "CMAKE_CUDA_COMPILER");
      version_ = find(run("'" + toolkit_ + "' --version"), "release ([0-9.]+)");
      need("CUDA toolkit", version_.empty() ? "" : version_ + ", " + toolkit_,
           "the compiler of this build is gone: start afresh (rm -r " + directory_ + ")");
    } else if (nvcc.empty()) {
      add(false, "CUDA toolkit", "not found",
          "CUDA variants need version 12 or later: developer.nvidia.com/cuda-downloads",
          gpus_.empty() ? Health::note : Health::missing);
    } else {
      add(false, "CUDA toolkit", nvcc + ", not in this build",
          "start with --backend=cuda to build the CUDA variants too");
    }
  }

  void driver() {
    const std::string smi = run("nvidia-smi");
    const std::string version = find(smi, "Driver Version: *([0-9.]+)");
    const std::string supports = find(smi, "CUDA (?:UMD )?Version: *([0-9]+\\.[0-9]+)");
    if (version.empty()) {
      const bool loaded = fs::exists(machine_.root / "proc/driver/nvidia/version");
      add(false, "NVIDIA driver", loaded ? "loaded, but nvidia-smi fails" : "not loaded",
          loaded ? "run nvidia-smi and see; after an update of the driver, restart"
                 : "install it, or give the container its GPU (docker run --gpus all)",
          Health::missing);
      return;
    }
    add(std::atoi(supports.c_str()) >= std::atoi(version_.c_str()), "NVIDIA driver",
        version + ", for CUDA up to " + supports,
        "too old for this build's CUDA " + version_ + ": update the driver", Health::missing);
    std::istringstream gpus(gpus_);
    for (std::string gpu; std::getline(gpus, gpu);) add(true, "GPU", gpu + " at most");
    if (in_build_)
      need("CUPTI", get(build_, "CUDA_cupti_LIBRARY"),
           "goodput needs it; it comes with the CUDA Toolkit, in extras/CUPTI");
    const auto rules = read_pairs(machine_.root / "proc/driver/nvidia/params");
    add(get(rules, "RmProfilingAdminOnly") != "1" || geteuid() == 0, "GPU counters",
        get(rules, "RmProfilingAdminOnly") == "1" ? "for root only" : "open to everyone",
        "ncu needs them, times and goodput do not: 'options nvidia "
        "NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d, then restart");
  }

  void processor() {
    const auto cpu = read_pairs(machine_.root / "proc/cpuinfo");
    const std::string flags = fmt::format(" {} ", get(cpu, "flags"));
    const auto has = [&](const char* flag) {
      return flags.find(fmt::format(" {} ", flag)) != std::string::npos;
    };
    const int usable = std::atoi(run("nproc").c_str());
    const char* simd = has("avx512f") ? "AVX-512" : has("avx2") ? "AVX2" : "no AVX2";
    const bool smt = line("sys/devices/system/cpu/smt/active") == "1";
    add(true, "CPU",
        fmt::format("{}, {} of {} logical processors{}, {}", get(cpu, "model name"), usable,
                    run("nproc --all"), smt ? " (two share a core)" : "", simd));
    std::string caches;
    for (int i = 0; i < 8; ++i) {
      const std::string cache = fmt::format("sys/devices/system/cpu/cpu0/cache/index{}/", i);
      const std::string type = line(cache + "type");
      if (!type.empty() && type != "Instruction")
        caches += fmt::format(" L{} {}", line(cache + "level"), line(cache + "size"));
    }
    add(true, "CPU caches", caches.empty() ? "not told" : caches.substr(1));

    // "200000 100000": that many microseconds of processor time in each such period; or "max ...".
    double time = 0, period = 0;
    if (std::istringstream(line("sys/fs/cgroup/cpu.max")) >> time >> period)
      add(time >= usable * period, "CPU limit", fmt::format("{:.1f} processors", time / period),
          "more threads than that stall each other: set OMP_NUM_THREADS");
    const std::string governor = line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    add(governor.empty() || governor == "performance", "CPU clock",
        fmt::format("{} MHz now, governor {}", get(cpu, "cpu MHz"),
                    governor.empty() ? "not told" : governor),
        "short runs wander while clocks ramp: sudo cpupower frequency-set -g performance");
    if (has("hypervisor"))
      add(false, "virtual machine", "yes " + line("sys/class/dmi/id/product_name"),
          "neighbours move the times: mind the intervals, repeat what surprises");
  }

  void memory() {
    const auto memory = read_pairs(machine_.root / "proc/meminfo");
    const auto gib = [&](const char* key) {
      return std::atof(get(memory, key).c_str()) / (1 << 20);
    };
    add(true, "memory",
        fmt::format("{:.1f} GiB, {:.1f} free", gib("MemTotal"), gib("MemAvailable")));
    const std::string huge = find(line("sys/kernel/mm/transparent_hugepage/enabled"), "\\[(.*)\\]");
    add(huge != "never", "huge pages", huge.empty() ? "not told" : huge,
        "small pages slow big arrays down: echo madvise | sudo tee "
        "/sys/kernel/mm/transparent_hugepage/enabled");
  }

  const bool in_build_;  // CUDA is
  const std::string directory_;
  const Machine& machine_;
  const Pairs build_;
  const std::string gpus_;
  std::string toolkit_, version_;
  std::vector<Finding> findings_;
};

std::string run_command(const std::string& command) {
  std::string text;
  const Outcome outcome = run_process(
      {"sh", "-c", command}, 30, [&](const std::string& line) { text += line + "\n"; },
      [](const std::string&) {});
  return outcome.code || outcome.signal ? "" : text;
}

// What the program that measures ceilings says of each backend; without it nothing is measured yet.
std::vector<Finding> find_ceilings(const Catalogue& catalogue) {
  const std::string peaks = (catalogue.bin / "peaks").string();
  std::vector<Finding> findings;
  if (fs::exists(peaks))
    run_process(
        {peaks, "--known"}, 30,
        [&](const std::string& line) {
          const std::string backend = line.substr(0, line.find(':')), found = find(line, ": (.*)");
          if (found.starts_with("measured"))
            findings.push_back({Health::ok, backend + " ceilings", found, ""});
          else if (found == "not measured yet")
            findings.push_back({Health::note, backend + " ceilings", found,
                                "the first run does, or ./workbook peaks"});
          else
            findings.push_back({Health::missing, backend + " ceilings", found, "see above"});
        },
        [](const std::string&) {});
  return findings;
}

}  // namespace

std::vector<Finding> examine(const Catalogue& catalogue, const Machine& machine) {
  return Examination(catalogue, machine).all();
}

int run_doctor(const Catalogue& catalogue) {
  std::vector<Finding> findings = examine(catalogue, {"/", run_command});
  for (Finding& finding : find_ceilings(catalogue)) findings.push_back(std::move(finding));

  const bool colour = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  static constexpr const char* words[] = {"ok", "missing", "note"};
  static constexpr fmt::terminal_color shades[] = {
      fmt::terminal_color::green, fmt::terminal_color::red, fmt::terminal_color::yellow};
  for (const Finding& finding : findings) {
    const auto health = static_cast<int>(finding.health);
    fmt::print(colour ? fg(shades[health]) : fmt::text_style(), "{:8}", words[health]);
    fmt::print("{:16} {}\n", finding.subject, finding.found);
    if (!finding.advice.empty()) fmt::print("{:25}-> {}\n", "", finding.advice);
  }
  return catalogue.cuda && findings.back().health == Health::missing ? 3 : 0;
}

}  // namespace wb
