// list, peaks and test.
#include "driver/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "base/alive.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "base/pattern.h"
#include "base/process.h"
#include "driver/exercise.h"
#include "report/about.h"

namespace wb {

namespace fs = std::filesystem;

namespace {

void print_line(const std::string& line) { print("{}\n", line); }

std::string roles(const Lesson& lesson, const std::string& backend) {
  std::vector<std::string> names;
  for (const auto& [variant, b] : lesson.variants)
    if (b == backend) names.push_back(variant);
  std::sort(names.begin(), names.end(), lesson_order);
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, " "));
}

// Its cases and axes, as its program says.
std::string cases(const Catalogue& catalogue, const Selection& selection,
                  const RunOptions& options) {
  std::vector<std::string> command = lesson_command(catalogue, selection, options);
  command.push_back("--list");
  std::string lines, why;
  const Outcome outcome = run_process(
      command, options.time_limit, [&](const std::string& line) { lines += "  " + line + "\n"; },
      [&](const std::string& line) { why = ": " + line; });
  const std::string failed = selection.lesson->program + " could not list its cases";
  if (outcome.signal) throw Failure(4, failed + why);
  if (outcome.code == 127) throw Failure(3, failed + ": it is not built");
  if (outcome.code) throw Failure(outcome.code, failed + why);
  return lines;
}

// What --op, --size, --dtype and --axis find, under the lessons that have it.
int list_cases(const Catalogue& catalogue, const std::vector<Selection>& selections,
               const RunOptions& options) {
  std::string why;
  bool found = false;
  for (const Selection& s : selections) try {
      const std::string lines = cases(catalogue, s, options);
      found = true;
      print("{}\n{}", s.lesson->path, lines.substr(0, lines.find("  --")));
    } catch (const Failure& e) {
      if (e.code != 2) throw;
      why = e.what();  // this lesson has no such case
    }
  if (!found) throw Failure(2, selections.size() == 1 ? why : "no lesson has such a case");
  print("\n./workbook run takes the same flags\n");
  return 0;
}

}  // namespace

int run_list(const Catalogue& catalogue, const RunOptions& options) {
  const std::vector<Selection> selections = select(catalogue, options);
  if (!options.choice.any_case()) return list_cases(catalogue, selections, options);
  if (options.names.empty()) list_pages(catalogue);
  for (const Selection& s : selections) {
    const std::string& path = s.lesson->path;
    const std::string listed = cases(catalogue, s, options);
    const About about = about_lesson(catalogue.source, path);
    print("{}\n", path);
    if (!about.title.empty())
      print("  {}{}{}\n", about.title, about.question.empty() ? "" : ": ", about.question);
    if (!about.takes.empty()) print("  takes {}\n", about.takes);
    for (const BuiltBackend& b : catalogue.backends) {
      print("  {}: {}\n", b.name, roles(*s.lesson, b.name));
      for (const Exercise& e : exercises(catalogue, b.name))
        if (e.lesson == s.lesson)
          for (const std::string& goal : goal_texts(e, about.case_names))
            print("  {}: {}\n", e.file.filename().string(), goal);
    }
    print("{}", listed);
  }
  return 0;
}

int run_peaks(const Catalogue& catalogue, const RunOptions& options) {
  if (!fs::exists(catalogue.bin / "peaks"))
    throw Failure(1, "peaks is not built: its compiler's message is above");
  std::vector<std::string> command = split_words(options.launcher);
  command.insert(command.end(), {(catalogue.bin / "peaks").string(), "--force",
                                 "--backend=" + options.choice.backend});
  std::string why = "nothing was measured";
  Alive alive("measuring");
  const auto on_error = [&](const std::string& line) {
    if (line.starts_with("peaks: "))
      why = line.substr(7);
    else
      alive.aside([&] { tell("{}", line); });
  };
  const auto on_output = [&](const std::string& line) { alive.aside([&] { print_line(line); }); };
  const Outcome outcome = run_process(command, options.time_limit, on_output, on_error);
  if (outcome.timed_out || outcome.signal)
    throw Failure(4, fmt::format("peaks {}", outcome.timed_out ? "ran past the time limit"
                                                               : strsignal(outcome.signal)));
  if (outcome.code == 127)
    throw Failure(3, "could not start " + command.front() + ": is it installed?");
  if (outcome.code) throw Failure(outcome.code, why);
  return 0;
}

namespace {

// The tests of the build: their names, and the file to which GoogleTest is told to report; "" for a
// program that is one test.
std::map<std::string, std::string> reports_of_tests(const std::string& build) {
  const Outcome listed = run_process({"ctest", "--test-dir", build, "--show-only=json-v1"}, 600);
  if (listed.code == 127) throw Failure(2, "ctest is missing: apt-get install cmake");
  const std::string flag = "--gtest_output=json:";
  std::map<std::string, std::string> reports;
  // What stands in front of the list is for people.
  const std::size_t list = std::min(listed.output.find('{'), listed.output.size());
  const nlohmann::json tests = parse_json(listed.output.substr(list)).at("tests");
  for (const auto& test : tests) {
    std::string& report = reports[test.at("name").get<std::string>()];
    const nlohmann::json words = test.value("command", nlohmann::json::array());
    for (const std::string word : words)
      if (word.starts_with(flag)) report = word.substr(flag.size());
  }
  return reports;
}

}  // namespace

TestCounts read_test_report(std::string text) {
  for (char& c : text)
    if (c & 0x80) c = '?';  // a message may hold bytes that are no UTF-8
  const nlohmann::json report = parse_json(text);
  TestCounts counts;
  for (const auto& suite : report.at("testsuites"))
    for (const auto& test : suite.at("testsuite")) {
      if (test.at("status") != "RUN") continue;
      ++(test.contains("failures")        ? counts.failed
         : test.at("result") == "SKIPPED" ? counts.skipped
                                          : counts.passed);
      if (test.contains("failures"))
        counts.wrong.push_back(
            {suite.value("name", "") + "." + test.value("name", ""),
             test.value("problem", test["failures"].at(0).at("failure").get<std::string>()),
             test.value("ended", "")});
    }
  return counts;
}

TestCounts count_tests(const std::string& junit, const std::map<std::string, std::string>& reports,
                       const std::function<void(const std::string& line)>& say) {
  TestCounts counts;
  const std::string opening = "<testcase name=\"";
  for (std::size_t at = junit.find(opening), next; at != std::string::npos; at = next) {
    next = junit.find(opening, at + 1);
    const std::string test = junit.substr(at + opening.size(), next - at - opening.size());
    const std::string name = test.substr(0, test.find('"'));
    const auto contains = [&](const char* text) { return test.find(text) != std::string::npos; };
    // CTest calls one that could not be built "notrun", as it does one that skips itself; here the
    // former has failed.
    if (contains("message=\"SKIP_RETURN_CODE") || contains("status=\"disabled\"")) {
      ++counts.skipped;
      continue;
    }
    const bool fine = contains("status=\"run\"");
    const auto report = reports.find(name);
    TestCounts found{.passed = fine, .failed = !fine, .skipped = 0};  // a program that is one test
    if (report != reports.end() && !report->second.empty()) try {
        found = read_test_report(read_file(report->second));
        if (found.failed == 0 && (!fine || found.passed + found.skipped == 0)) ++found.failed;
      } catch (const std::exception&) {
        found = {.passed = 0, .failed = 1, .skipped = 0};
        say(name + " FAILED: it ended before GoogleTest reported what it found");
      }
    counts.passed += found.passed, counts.failed += found.failed, counts.skipped += found.skipped;
  }
  return counts;
}

int run_tests(const Catalogue& catalogue, const RunOptions& options) {
  const BuiltBackend* named = catalogue.backend(options.choice.backend);
  if (named && named->accelerator) ::setenv("WB_REQUIRE_GPU", "1", 1);  // GPU tests may not skip
  const std::uint64_t seed = options.choice.seed ? options.choice.seed : std::random_device{}();
  ::setenv("WB_SEED", std::to_string(seed).c_str(), 1);
  // Test programs use all cores only now and then.
  const unsigned side_by_side = std::clamp(std::thread::hardware_concurrency() / 2, 1u, 4u);
  ::setenv("CTEST_PARALLEL_LEVEL", std::to_string(side_by_side).c_str(), 0);
  std::string pattern;
  for (const Selection& s : select(catalogue, options.names)) {
    if (options.names.empty()) break;
    std::string name = s.lesson->path;
    pattern += (pattern.empty() ? "^(" : "|") + name;
    if (s.exercise()) pattern += s.variants.size() == 1 ? "/exercise" : "(/exercise)?";
  }
  const std::string build = catalogue.build.string();
  const std::map<std::string, std::string> reports = reports_of_tests(build);
  for (const auto& [name, report] : reports) fs::remove(report);  // of an earlier run
  const Scratch scratch;
  const std::string junit = scratch.file("tests.xml");
  std::vector<std::string> command = {
      "ctest", "--output-on-failure", "--no-tests=error", "--test-dir", build, "--output-junit",
      junit};
  if (!pattern.empty())
    command.insert(command.end(), {"-R", pattern + ")$"});
  else  // exercises are the student's, and a bug hunt is wrong as shipped
    command.insert(command.end(), {"-E", "/exercise$"});
  // Where CTest looked for a program that was not built fills a screen and says nothing more.
  const Outcome outcome = [&] {
    Alive alive("starting the tests");
    std::vector<std::string> running;
    const auto shown = [&](const std::string& line) {
      const bool place = line.starts_with(build) || line.starts_with(build.substr(1));
      if (!place && !line.starts_with("Looked in the following"))
        alive.aside([&] { print_line(line); });
      if (const auto begun = find_pattern(line, "^ *Start +\\d+: (.*)$"); !begun.empty())
        running.push_back(begun[1]);
      else if (const auto over = find_pattern(line, "Test +#\\d+: (\\S+) "); !over.empty())
        std::erase(running, over[1]);
      if (!running.empty())
        alive.now(running[0] +
                  (running.size() > 1 ? fmt::format(" and {} more", running.size() - 1) : ""));
    };
    return run_process(command, 24 * 3600, shown, [](const std::string&) {});
  }();
  const TestCounts counts =
      count_tests(fs::exists(junit) ? read_file(junit) : "", reports, print_line);
  if (counts.passed + counts.failed + counts.skipped == 0)
    throw Failure(1, "no test was run: ./workbook list shows the lessons");
  print("inputs and sizes are those of --seed={}\n", seed);
  print("{} passed, {} failed, {} skipped\n", counts.passed, counts.failed, counts.skipped);
  return counts.failed || outcome.code || outcome.signal ? 1 : 0;
}

}  // namespace wb
