// test: the test programs of the build, as CTest lists them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/alive.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/launched.h"
#include "base/output.h"
#include "base/pool.h"
#include "driver/commands.h"

namespace wb::driver {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// What it is called, its command (none where it does not compile), where GoogleTest writes to ("":
// the program is one test), and the rest that CTest knows of it.
struct TestProgram {
  std::string name;
  std::vector<std::string> command{};
  std::string report{};
  json is = json::object();
};

std::vector<TestProgram> test_programs(const std::string& build) {
  const Outcome listed = run_process({"ctest", "--test-dir", build, "--show-only=json-v1"}, 600);
  if (listed.code == 127) throw Failure(2, "ctest is missing: apt-get install cmake");
  // What stands in front of the list is for people.
  const std::size_t list = std::min(listed.output.find('{'), listed.output.size());
  const json tests = parse_json(listed.output.substr(list)).at("tests");
  std::vector<TestProgram> all;
  for (const json& test : tests) {
    TestProgram& p = all.emplace_back(TestProgram{test.at("name")});
    for (const json& is : test.value("properties", json::array()))
      p.is[is.at("name").get<std::string>()] = is["value"];
    if (!test.contains("command")) continue;
    p.command = p.is.value("ENVIRONMENT", p.command);
    p.command.insert(p.command.begin(), "env");
    for (const std::string word : test["command"]) {
      p.command.push_back(word);
      if (word.starts_with("--gtest_output=json:")) p.report = word.substr(word.find(':') + 1);
    }
  }
  std::ranges::stable_sort(  // what takes long begins early
      all, std::greater(), [](const TestProgram& p) { return p.is.value("COST", 0.0); });
  return all;
}

struct Found {
  TestCounts counts{};
  std::string said{}, line{};  // by one that failed; what came of it
};

Found run_test(const TestProgram& p) {
  if (p.command.empty()) return {{.failed = 1}, "", p.name + " FAILED: it does not compile\n"};
  std::error_code none;
  fs::remove(p.report, none);  // of an earlier run
  std::string said, how;
  const auto keep = [&](const std::string& line) { said += line + "\n"; };
  const double start = seconds();
  const Outcome outcome = run_process(p.command, p.is.value("TIMEOUT", 900.0), keep, keep,
                                      p.is.value("WORKING_DIRECTORY", ""));
  const bool fine = outcome.fine();
  if (!fine) how = ": " + how_it_ended(outcome, "");
  TestCounts counts{.passed = fine, .failed = !fine};
  if (!outcome.signal && outcome.code == p.is.value("SKIP_RETURN_CODE", -1)) {
    counts = {.skipped = 1};
  } else if (!p.report.empty()) {
    try {
      counts = read_test_report(read_file(p.report));
      if (counts.failed == 0 && (!fine || counts.passed + counts.skipped == 0)) ++counts.failed;
    } catch (const std::exception&) {
      counts = {.failed = 1};
      how += ": it ended before GoogleTest reported what it found";
    }
  }
  const std::string found = counts.failed ? "FAILED" + how : counts.passed ? "passed" : "skipped";
  if (counts.failed == 0) said.clear();
  return {counts, said, fmt::format("{} {}, {:.1f} s\n", p.name, found, seconds() - start)};
}

}  // namespace

TestCounts read_test_report(std::string text) {
  for (char& c : text)
    if (c & 0x80) c = '?';  // a message may hold bytes that are no UTF-8
  const json report = parse_json(text);
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

namespace {

// What is to be tested: names as CTest has them (none: all but exercises), and by lesson what a
// backend that is named leaves out.
struct Wanted {
  std::set<std::string> names{};
  std::map<std::string, std::string> left_out{};
};

// Of a backend without times, whose variants alone are wanted: another build has the others.
void add_lesson_of(const BuiltBackend& own, const Selection& s, bool asked, Wanted& wanted) {
  std::set<std::string> needs;
  for (const auto& [variant, why] : s.lesson->left_out) {
    wanted.left_out[s.lesson->path] += fmt::format("  {} is left out: it needs {}\n", variant, why);
    needs.insert(why);
  }
  if (s.lesson->has("", own.name)) return;
  const std::string why = needs.empty() ? "it has none in " + own.extension
                                        : fmt::format("they need {}", fmt::join(needs, ", "));
  if (asked)
    throw Failure(3,
                  fmt::format("the {} runs no variant of {}: {}", own.device, s.lesson->path, why));
}

Wanted wanted_tests(const Catalogue& catalogue, const RunOptions& options,
                    const BuiltBackend* own) {
  Wanted wanted;
  const bool asked = !options.names.empty();
  if (!own && !asked) return wanted;
  for (const Selection& s : select(catalogue, options.names)) {
    if (own) add_lesson_of(*own, s, asked, wanted);
    if (own && !s.lesson->has("", own->name)) continue;
    if (!s.exercise() || s.variants.size() > 1) wanted.names.insert(s.lesson->path);
    if (s.exercise()) wanted.names.insert(s.lesson->path + "/exercise");
  }
  if (own && !asked) wanted.names.insert("common/" + own->name + "_test");
  return wanted;
}

std::vector<TestProgram> chosen_programs(const Catalogue& catalogue, const Wanted& wanted,
                                         const BuiltBackend* own) {
  std::vector<TestProgram> chosen = test_programs(catalogue.build.string());
  // Exercises are the student's, and a bug hunt is wrong as shipped.
  std::erase_if(chosen, [&](const TestProgram& p) {
    return wanted.names.empty() ? p.name.ends_with("/exercise") : !wanted.names.contains(p.name);
  });
  if (own)
    for (TestProgram& p : chosen)
      if (!p.command.empty() && !p.name.starts_with("common/"))
        p.command.push_back("--backend=" + own->name);
  return chosen;
}

// Test programs use all cores only now and then; an emulator uses one.
int how_many_at_once(bool emulated) {
  if (const char* asked = std::getenv("CTEST_PARALLEL_LEVEL")) return std::max(1, std::atoi(asked));
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(emulated ? cores : cores / 2, 1, emulated ? 16 : 4);
}

}  // namespace

int run_tests(const Catalogue& catalogue, const RunOptions& options) {
  const BuiltBackend* named = catalogue.backend(options.choice.backend);
  if (named && named->accelerator) ::setenv("WB_REQUIRE_GPU", "1", 1);  // GPU tests may not skip
  const std::uint64_t seed = options.choice.seed ? options.choice.seed : std::random_device{}();
  ::setenv("WB_SEED", std::to_string(seed).c_str(), 1);
  { const Scratch room; }  // a full disk is said once, not by each test
  const BuiltBackend* own = named && named->untimed ? named : nullptr;
  Wanted wanted = wanted_tests(catalogue, options, own);
  const std::vector<TestProgram> chosen = chosen_programs(catalogue, wanted, own);
  TestCounts all;
  std::string failed;
  std::size_t number = 0;
  Alive alive("testing");
  for (const bool alone : {false, true}) {  // those that look at measured times
    Pool<const TestProgram*, Found> pool(alone ? 1 : how_many_at_once(own),
                                         [&](const TestProgram* p) {
                                           alive.now(p->name);
                                           return run_test(*p);
                                         });
    for (const TestProgram& p : chosen)
      if (p.is.value("RUN_SERIAL", false) == alone) pool.add(&p);
    while (const auto ended = pool.next()) {
      const auto& [found, said, line] = *ended->result;
      const std::string shown = fmt::format("{}[{}/{}] {}{}", said, ++number, chosen.size(), line,
                                            wanted.left_out[ended->job->name]);
      alive.aside([&] { put(shown); });
      all.passed += found.passed, all.failed += found.failed, all.skipped += found.skipped;
      if (found.failed) failed += "FAILED: " + ended->job->name + "\n";
    }
  }
  if (all.passed + all.failed + all.skipped == 0)
    throw Failure(1, "no test was run: ./workbook list shows the lessons");
  print("{}inputs and sizes are those of --seed={}\n", failed, seed);
  print("{} passed, {} failed, {} skipped\n", all.passed, all.failed, all.skipped);
  return all.failed ? 1 : 0;
}

}  // namespace wb::driver
