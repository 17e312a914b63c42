// A lesson with axes that nobody else has (axes_lesson/) works in every place: cases, filters,
// --axis, sweeps, list, JSON, CSV, tables, and the request to a peer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/build_info.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "device/backends.h"
#include "has.h"
#include "measure/rounds.h"
#include "model/results.h"
#include "report/sweep.h"
#include "report/table.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

// The lesson's own program, and a driver that knows of no other lesson.
class Axes : public testing::Test {
 protected:
  Axes() {
    fs::create_directories(root_ / "bin");
    ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);  // whatever ceilings this machine has
    fs::copy_file(WB_DRIVER, root_ / "bin/workbook_driver");
    // The driver reads case names in the header, a lesson program has them compiled.
    fs::create_directories(root_ / "common/tests/axes_lesson");
    fs::copy_file(fs::path(source_folder()) / "common/tests/axes_lesson/visit.h",
                  root_ / "common/tests/axes_lesson/visit.h");
    fs::copy_file(WB_AXES_LESSON, root_ / "bin/axes_lesson");
    fs::create_symlink("/bin/true", root_ / "bin/peaks");  // no ceilings, and no word about it
    write_atomically(
        (root_ / "lessons.json").string(),
        R"({"source":")" + root_.string() +
            R"(","backends":[{"name":"cpu","extension":".cpp","device":"CPU","accelerator":false,"sanitizer":false}],"lessons":[{"lesson":)"
            R"("common/tests/axes_lesson","program":"axes_lesson","variants":[{"variant":"baseline",)"
            R"("backend":"cpu"},{"variant":"optimized","backend":"cpu"}]}]})");
  }
  ~Axes() override { fs::remove_all(root_); }
  Outcome driver(std::vector<std::string> words) const {
    words.insert(words.begin(), (root_ / "bin/workbook_driver").string());
    words.push_back("--backend=cpu");
    return run_process(words, 60);
  }
  std::string file(const char* name) const { return (root_ / name).string(); }

  fs::path root_ = fs::temp_directory_path() / ("wb_axes_test_" + std::to_string(::getpid()));
};

TEST_F(Axes, AreListed) {
  const Outcome listed = driver({"list", "axes_lesson"});
  EXPECT_EQ(listed.output,
            "common/tests/axes_lesson\n  cpu: baseline optimized\n"
            "  case 1000 elements forward, stride 7: small,forward,elements=1000,stride=7\n"
            "  case 1000 elements backward, stride 7: small,backward,elements=1000,stride=7\n"
            "  case 5000 elements forward, stride 1: large,forward,elements=5000,stride=1\n"
            "  --axis size: small, large\n  --axis order: forward, backward\n"
            "  --axis elements: 1000, 5000\n  --axis stride: 7, 1\n"
            "  --sweep stride: 1 to 9\n")
      << listed.errors;
}

TEST_F(Axes, ChooseCasesAndStandInTablesCsvAndJson) {
  const std::string json = file("r.json"), csv = file("r.csv");
  const Outcome one = driver({"run", "axes_lesson", "--fast", "--axis", "order=backward", "--axis",
                              "stride=5", "--json", json, "--csv", csv});
  EXPECT_EQ(one.code, 0) << one.errors;
  EXPECT_TRUE(has(one.output, "axes_lesson, cpu, 1000 elements backward, stride 5\n"));
  const Results results = load_results(json);
  ASSERT_EQ(results.rows.size(), 2u);
  EXPECT_EQ(results.rows[1].axes, (Case{{"order", "backward"}, {"elements", 1000}, {"stride", 5}}));
  EXPECT_TRUE(has(read_file(csv), ",case,order,elements,stride,clock"));
  EXPECT_TRUE(has(read_file(csv), "\"backward,elements=1000,stride=5\",backward,1000,5,device"));
}

TEST_F(Axes, AreSweptAndFiltered) {
  const std::string json = file("s.json");
  const Outcome swept =
      driver({"run", "axes_lesson", "--sweep", "stride", "--axis", "order=1,0", "--json", json});
  EXPECT_EQ(swept.code, 0) << swept.errors;
  const Results results = load_results(json);
  ASSERT_EQ(results.rows.size(), 6u);
  const std::vector<report::Curve> all = report::curves(results);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].at, (std::vector<double>{1, 3, 9}));
  EXPECT_STREQ(results.rows[0].axes.word("order"), "1,0");
  EXPECT_TRUE(has(swept.output, "stride  "));

  const Outcome filtered = run_process(
      {WB_AXES_LESSON, "--backend=cpu", "--list", "--benchmark_filter=order=backward"}, 60);
  EXPECT_TRUE(has(filtered.output, "case 1000 elements backward, stride 7: small,backward,"));
  EXPECT_FALSE(has(filtered.output, "forward"));
  const Outcome listed =
      run_process({WB_AXES_LESSON, "--backend=cpu", "--benchmark_list_tests=true"}, 60);
  EXPECT_EQ(listed.code, 0) << listed.errors;
  EXPECT_EQ(std::count(listed.output.begin(), listed.output.end(), '\n'), 6) << listed.output;
}

TEST_F(Axes, ACrashCostsItsOwnCaseOnly) {
  const std::string json = file("c.json");
  const Outcome crashed =
      driver({"run", "axes_lesson", "--sweep", "stride", "--axis", "order=deadly", "--json", json});
  EXPECT_EQ(crashed.code, 4) << crashed.errors;
  EXPECT_TRUE(has(crashed.errors, "seed "));
  const Results results = load_results(json);
  ASSERT_EQ(results.rows.size(), 5u);  // two variants of stride 1 and 3, and what crashed
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(has_speed(results.rows[i])) << i;
  const Row& row = results.rows[4];
  EXPECT_EQ(row.status, Status::crashed);
  EXPECT_EQ(benchmark_name(row),
            "common/tests/axes_lesson/optimized/cpu/order=deadly,elements=1000,stride=9");
  EXPECT_EQ(row.sweep, "stride");
  EXPECT_TRUE(has(crashed.output, "optimized at 9: CRASHED: signal 6 (Aborted)"));
}

TEST_F(Axes, WhatBeatsACeilingHasItMeasuredAgainOnceARun) {
  Ceilings low;
  low.device = open_backend("cpu")->device();
  low.values = {{"read", 1.0}, {"triad", 1.0}, {"copy", 1.0}};  // bytes/s
  save_ceilings(low);
  fs::remove(root_ / "bin/peaks");
  write_atomically(file("bin/peaks"), "#!/bin/sh\necho \"$@\" >>'" + file("asked") +
                                          "'\necho 'ceilings measured again' >&2\n");
  fs::permissions(root_ / "bin/peaks", fs::perms::owner_all);
  // The lesson twice over: two programs in one run.
  const std::string one = read_file(file("lessons.json"));
  const auto entry = one.find("{\"lesson\""), end = one.rfind("]}");
  write_atomically(file("lessons.json"), one.substr(0, end) + "," + one.substr(entry));
  for (int runs = 1; runs <= 2; ++runs) {
    std::vector<std::string> command = {"run", "axes_lesson", "--fast", "--size=large"};
    if (runs == 2) command.push_back("--allow-suspect");
    const Outcome outcome = driver(command);  // what was measured again is as low as before
    EXPECT_EQ(outcome.code, runs == 1 ? 1 : 0) << outcome.errors;
    EXPECT_TRUE(has(outcome.output, "suspect"));
    EXPECT_TRUE(has(outcome.errors, "ceilings measured again"));
    const std::string asked = read_file(file("asked"));
    EXPECT_EQ(std::count(asked.begin(), asked.end(), '\n'), runs) << asked;
    EXPECT_TRUE(asked.starts_with("--backend=cpu --again\n")) << asked;
  }
  fs::remove(file("asked"));
  low.values = {{"read", 1e15}, {"triad", 1e15}, {"copy", 1e15}};
  save_ceilings(low);
  EXPECT_EQ(driver({"run", "axes_lesson", "--fast", "--size=large"}).code, 0);
  EXPECT_FALSE(fs::exists(file("asked")));
}

TEST_F(Axes, WrongOnesGetOneLine) {
  const auto why = [&](const std::string& axis) {
    const Outcome outcome = driver({"run", "axes_lesson", "--axis", axis});
    const std::string& said = outcome.errors;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    return std::to_string(outcome.code) + " " + said;
  };
  EXPECT_TRUE(has(why("direction=up"), "has no axis 'direction'; it has size, order, elements"));
  EXPECT_TRUE(has(why("stride=far"), "'far' is not a number"));
  EXPECT_TRUE(has(why("stride=9999999999999"), "to 2^40; ./workbook list"));
  EXPECT_TRUE(why("size=huge").starts_with("2 ")) << why("size=huge");
  EXPECT_TRUE(has(why("order=sideways"), "there is no order sideways"));
  EXPECT_TRUE(why("order=sideways").starts_with("3 ")) << why("order=sideways");
}

TEST_F(Axes, StandInJsonAsGoogleBenchmarkWritesIt) {
  const std::string out = file("gb.json");
  const Outcome alone =
      run_process({"env", "-u", "WB_PROGRESS", file("bin/axes_lesson"), "--backend=cpu", "--fast",
                   "--first", "--benchmark_out=" + out, "--benchmark_out_format=json"},
                  60);
  EXPECT_EQ(alone.code, 0) << alone.errors;
  const auto context = parse_json(read_file(out)).at("context");
  for (const char* field : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches",
                            "load_avg", "library_build_type", "workbook"})
    EXPECT_TRUE(context.contains(field)) << field << " is not in " << context;
  EXPECT_EQ(load_results(out).rows.size(), 2u);
  const std::string json = file("d.json");  // what is to be shared names no host
  EXPECT_EQ(driver({"run", "axes_lesson", "--fast", "--size=large", "--json", json}).code, 0);
  EXPECT_EQ(parse_json(read_file(json)).at("context").size(), 1u);
}

// A peer that answers with the time that the request's axes spell: seconds = elements x stride.
TEST_F(Axes, ReachThePeerByName) {
  if (!in_path("python3")) GTEST_SKIP() << "no python3 here";
  const std::string script = file("peer.py");
  write_atomically(script, R"(
import json, sys
print('{"peer": "Axes 1.0", "knows": ["axes_lesson"], "variants": {"axes": "Axes"}}', flush=True)
for line in sys.stdin:
    case = json.loads(line)["case"]
    far = case["elements"] * case["stride"] if case["order"] == "backward" else 1
    print(json.dumps({"seconds": far, "timer": "host"}), flush=True)
)");
  Options options;
  options.backend = "cpu";
  options.peer = "axes";
  options.axes = {"order=backward"};
  options.repetitions = 2;
  options.sample_seconds = 0.005;
  const auto backend = open_backend("cpu");
  Peer peer(script, "common/tests/axes_lesson");
  std::vector<Group> groups = make_groups(linked_variants(), options, *backend, &peer);
  ASSERT_EQ(groups.size(), 1u);
  Rounds rounds(
      *backend, options, [](const Entry&) {}, Neighbours::probes_of(*backend));
  for (int i = 0; i < 2; ++i) rounds.take(groups[0]);
  Results results;
  for (const Entry& e : groups[0].entries) results.rows.push_back(e.row);
  ASSERT_EQ(results.rows.size(), 3u);
  EXPECT_EQ(results.rows[2].samples, std::vector<double>(2, 7000)) << results.rows[2].reason;
  EXPECT_TRUE(has(report::as_text({report::case_table(report::side_by_side(results)[0], results)},
                                  report::Style::text),
                  "vs axes"));
}

}  // namespace
}  // namespace wb
