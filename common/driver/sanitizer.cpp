#include "driver/sanitizer.h"

#include <sstream>

#include "base/pattern.h"
#include "base/process.h"

namespace wb {

namespace {

constexpr double kLimit = 60;                  // seconds, for each tool
constexpr std::size_t kMostOfAFinding = 2000;  // its names may be endless

// What was found, each with its details: in a report a line "========= What" and those behind it
// that stand further to the right.
std::vector<std::string> findings(const std::string& report) {
  const std::string mark = "========= ";
  std::vector<std::string> all;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ', mark.size());
    if (!line.starts_with(mark) || first == std::string::npos) continue;
    if (first == mark.size()) all.emplace_back();
    if (!all.empty() && all.back().size() + line.size() < kMostOfAFinding)
      all.back() += line.substr(first) + "\n";
  }
  return all;
}

}  // namespace

std::string first_finding(const std::string& report) {
  // "at kernel(int *)+0x70 in /home/me/exercise.cu:31"; older versions write "at 0x70 in ...".
  const std::string at = R"(at .*? in (?:.*/)?([^/ ]+\.cuh?:\d+).*\n)";
  const std::string access =
      "^(.*)\n" + at + "(by thread .*)?(?:\n.* is (out of bounds|misaligned))?";
  const std::string race =
      R"(^\w+: (Race reported between \w+ access) )" + at + R"((and \w+ access) )" + at;
  for (const std::string& one : findings(report)) {
    if (const auto is = find_pattern(one, race); !is.empty())
      return is[2] + ": " + is[1] + " " + is[3] + " at " + is[4];
    if (const auto is = find_pattern(one, access); !is.empty())
      return is[2] + ": " + is[1] + (is[3].empty() ? "" : " ") + is[3] +
             (is[4].empty() ? "" : ", ") + is[4];
  }
  return "";
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

}  // namespace wb
