#include "driver/sanitizer.h"

#include <sstream>

#include "base/process.h"

namespace wb::driver {

namespace {

constexpr double kLimit = 60;                  // seconds, for each tool
constexpr std::size_t kMostOfAFinding = 2000;  // its names may be endless

}  // namespace

// In a report a finding is a line "========= What", and those behind it that stand further to the
// right: where, by which thread.
std::string first_finding(const std::string& report) {
  const std::string mark = "========= ";
  std::string finding;
  const auto complete = [&] {  // of a kernel, not of a call on the host
    return finding.find(" at ") != std::string::npos &&
           finding.find("host backtrace") == std::string::npos;
  };
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ', mark.size());
    if (!line.starts_with(mark) || first == std::string::npos) continue;
    if (first == mark.size()) {
      if (complete()) break;
      finding.clear();
    }
    if (finding.size() + line.size() < kMostOfAFinding)
      finding += (first > mark.size() ? "  " : "") + line.substr(first) + "\n";
  }
  return complete() ? finding : "";
}

std::string sanitize(const std::vector<std::string>& launcher, const std::vector<std::string>& test,
                     bool shared) {
  const std::string name = "compute-sanitizer", elsewhere = "/usr/local/cuda/bin/" + name;
  for (const char* tool : {"memcheck", "racecheck"}) {
    if (tool == std::string("racecheck") && !shared) break;
    std::vector<std::string> command = launcher;
    command.insert(command.end(), {launcher.empty() && !in_path(name) ? elsewhere : name, "--tool",
                                   tool, "--show-backtrace", "no", "--target-processes", "all"});
    command.insert(command.end(), test.begin(), test.end());
    std::string report;
    run_process(command, kLimit, [&](const std::string& line) { report += line + "\n"; });
    if (std::string finding = first_finding(report); !finding.empty()) return finding;
  }
  return "";
}

}  // namespace wb::driver
