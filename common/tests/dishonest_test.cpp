// An exercise is judged from outside: whatever dishonest/exercise.cpp does costs its own row alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/process.h"
#include "device/backends.h"
#include "dishonest/third.h"
#include "measure/rounds.h"
#include "model/results.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The rows of baseline, optimized and an exercise that knows this trick.
std::vector<Row> measure(const std::string& trick, double patience = 60, i64 elements = 1 << 16) {
  ::setenv("WB_DISHONEST", trick.c_str(), 1);
  Options options;
  options.backend = "cpu";
  options.axes = {"elements=" + std::to_string(elements)};
  options.repetitions = 2;
  options.sample_seconds = 0.005;
  const auto backend = open_backend("cpu");
  Processes processes{Remote({WB_LESSON_PROGRAM, "--serve", "--backend=cpu"}),
                      Remote({WB_EXERCISE, "--serve", "--backend=cpu"}, patience)};
  Registry registry = linked_variants();
  add_exercise(registry, processes.exercise, "cpu");
  std::vector<Group> groups = make_groups(registry, options, *backend, nullptr);
  EXPECT_EQ(groups.size(), 1u);
  Rounds rounds(
      *backend, options, [](const Entry&) {}, {}, &processes);
  for (int i = 0; i < options.repetitions; ++i) rounds.take(groups[0]);
  std::vector<TracedRow> traces;
  rounds.finish(groups[0], &traces);
  std::vector<Row> rows;
  for (const Entry& e : groups[0].entries) rows.push_back(e.row);
  EXPECT_EQ(rows.size(), 3u);
  for (int i : {0, 1}) {
    EXPECT_EQ(rows[i].status, Status::ok) << rows[i].variant << ": " << rows[i].reason;
    EXPECT_EQ(rows[i].samples.size(), 2u);
    EXPECT_EQ(rows[i].error->absolute, 0);
    EXPECT_EQ(rows[i].note, "");
  }
  EXPECT_EQ(rows[2].variant, "exercise");
  return rows;
}

struct Trick {
  const char* name;
  Status status;
  const char* reason;  // a part of it
};
void PrintTo(const Trick& trick, std::ostream* out) { *out << trick.name; }

class Dishonest : public testing::TestWithParam<Trick> {};

TEST_P(Dishonest, CostsItsOwnRow) {
  const auto& [name, status, reason] = GetParam();
  const Row row = measure(name, /*patience=*/status == Status::hung ? 1 : 60)[2];
  EXPECT_EQ(row.status, status) << row.reason;
  EXPECT_TRUE(has(row.reason, reason)) << row.reason;
}

INSTANTIATE_TEST_SUITE_P(
    Exercise, Dishonest,
    testing::Values(
        Trick{"exit", Status::crashed, "ended with exit code 0"},
        Trick{"exit at the start", Status::crashed, "ended with exit code 0"},
        Trick{"abort", Status::crashed, "signal 6 (Aborted): these are its last words"},
        Trick{"abort at the start", Status::crashed, "signal 6"},
        Trick{"segv", Status::crashed, "signal 11"}, Trick{"hang", Status::hung, "no answer in 1 s"},
        Trick{"stop", Status::hung, "no answer in 1 s"},
        Trick{"close", Status::hung, "no answer in 1 s"},
        Trick{"nonsense", Status::failed, "answers nonsense"},
        Trick{"early", Status::wrong, "nan, want"},
        Trick{"rounding", Status::wrong, "y["},
        Trick{"input", Status::wrong, "the input x was changed"},
        Trick{"later input", Status::wrong, "y"},
        Trick{"behind", Status::wrong, "y was written outside its bounds"},
        Trick{"thread", Status::wrong, ""}, Trick{"twice", Status::wrong, "nan, want"},
        Trick{"problem", Status::failed, "its problem is not one of the lesson's"},
        Trick{"nothing", Status::failed, "its problem is not one of the lesson's"},
        Trick{"name", Status::failed, "its problem is not one of the lesson's"},
        Trick{"arrays", Status::failed, "it asks for other arrays than the lesson"},
        Trick{"twins", Status::failed, "two variants exercise for cpu"}),
    [](const auto& trick) {
      std::string name = trick.param.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

TEST(Honest, IsARowLikeOthers) {
  for (const char* trick : {"", "table", "settings", "forge"}) {
    const Row row = measure(trick)[2];
    EXPECT_EQ(row.status, Status::ok) << trick << row.reason;
    EXPECT_EQ(row.samples.size(), 2u);
    EXPECT_TRUE(row.split) << row.no_goodput;
  }
}

TEST(Dishonest, ClockDoesNotCount) {
  const std::vector<Row> rows = measure("clock", 60, 1 << 20);
  EXPECT_EQ(rows[2].status, Status::ok) << rows[2].reason;
  EXPECT_TRUE(has(rows[2].note, "its own clock says")) << rows[2].note;
  EXPECT_GT(rows[2].samples[0], 1e-5);
}

// The lesson's program from outside: what it prints and writes, and its exit code.
struct Program : testing::Test {
  ~Program() override { fs::remove_all(root_); }
  Outcome run(const char* trick, const std::string& exercise) const {
    ::setenv("WB_DISHONEST", trick, 1);
    return run_process({WB_LESSON_PROGRAM, "--backend=cpu", "--axis=elements=4096",
                        "--benchmark_repetitions=2", "--benchmark_min_time=0.005",
                        "--exercise=" + exercise, "--benchmark_out=" + (root_ / "r.json").string()},
                       60);
  }
  Results results() const { return load_results((root_ / "r.json").string()); }
  Program() {
    fs::create_directories(root_);
    ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);
  }
  const fs::path root_ = fs::temp_directory_path() / ("wb_dishonest_" + std::to_string(::getpid()));
};

TEST_F(Program, WritesItsOwnResultsAndTables) {
  const Outcome outcome = run("forge", WB_EXERCISE);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(results().rows.size(), 3u);
  const Outcome printed = run("table", WB_EXERCISE);
  EXPECT_FALSE(has(printed.output, "1000x")) << printed.output;
  EXPECT_TRUE(has(printed.errors, "dishonest_exercise: exercise 1 ns 1000x")) << printed.errors;
}

TEST_F(Program, EndsAsTheTableInTheReadmeSays) {
  EXPECT_EQ(run("segv", WB_EXERCISE).code, 4);
  EXPECT_EQ(results().rows[2].status, Status::crashed);
  EXPECT_EQ(run("twice", WB_EXERCISE).code, 1);
  EXPECT_EQ(run("", root_ / "nothing").code, 1);
  EXPECT_EQ(results().rows[2].status, Status::not_built);
  EXPECT_EQ(results().rows[0].samples.size(), 2u);
  const Outcome twins = run_process({WB_EXERCISE, "--backend=cpu"}, 60);
  EXPECT_NE(twins.code, 2);
  ::setenv("WB_DISHONEST", "twins", 1);
  const Outcome refused = run_process({WB_EXERCISE, "--backend=cpu"}, 60);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.errors, "two variants exercise for cpu in this program"));
}

}  // namespace
}  // namespace wb
