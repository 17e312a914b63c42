// An exercise is judged from outside: whatever dishonest/exercise.cpp does costs its own row alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "base/median.h"
#include "base/process.h"
#include "device/backends.h"
#include "dishonest/third.h"
#include "has.h"
#include "judged/kept.h"
#include "judged/processes.h"
#include "measure/rounds.h"
#include "model/results.h"

namespace wb::judged {
namespace {

namespace fs = std::filesystem;

// The rows of baseline, optimized and an exercise that knows this trick. when_timed() is called
// ahead of the traced pass.
std::vector<Row> measure(
    const std::string& trick, double patience = 60, i64 elements = 1 << 16, double budget = 0.005,
    const std::function<void()>& when_timed = [] {}) {
  ::setenv("WB_DISHONEST", trick.c_str(), 1);
  Options options;
  options.backend = "cpu";
  options.axes = {"elements=" + std::to_string(elements)};
  options.repetitions = 2;
  options.sample_seconds = budget;
  const auto backend = open_backend("cpu");
  Processes processes(Remote({WB_LESSON_PROGRAM, "--serve", "--backend=cpu"}),
                      Remote({WB_DISHONEST_EXERCISE, "--serve", "--backend=cpu"}, patience));
  Registry registry = linked_variants();
  add_exercise(registry, processes.exercise, "cpu");
  std::vector<Group> groups = make_groups(registry, options, *backend, nullptr);
  EXPECT_EQ(groups.size(), 1u);
  Rounds rounds(
      *backend, options, [](const Entry&) {}, {}, processes);
  for (int i = 0; i < options.repetitions; ++i) rounds.take(groups[0]);
  when_timed();
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

// The exercise's row, once its note says `part`: of ten measurements the first, or the last. They
// become longer, up to a second per part of a sample, for on a busy machine launches are few.
Row noted(const std::string& part, const std::string& trick, i64 elements, double budget) {
  Row row;
  for (int attempt = 0; attempt < 10 && !has(row.note, part); ++attempt)
    row = measure(trick, 60, elements, std::min(1.0, std::ldexp(budget, attempt)))[2];
  EXPECT_EQ(row.status, Status::ok) << row.reason;
  EXPECT_TRUE(has(row.note, part));
  return row;
}

#ifdef __SANITIZE_ADDRESS__  // which has the last word
constexpr const char *kSegv = "ABORTING", *kFault = "ABORTING";
constexpr i64 kFew = 1 << 8;  // elements: so few that launches are as many
#else
constexpr const char *kSegv = "signal 11 (Segmentation fault), often an index outside an array",
                     *kFault = "a variant touched memory";
constexpr i64 kFew = 1 << 12;
#endif

std::string test_name(std::string trick) {
  std::ranges::replace(trick, ' ', '_');
  return trick;
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
  EXPECT_TRUE(has(row.reason, reason));
}

INSTANTIATE_TEST_SUITE_P(
    Exercise, Dishonest,
    testing::Values(
        Trick{"exit", Status::crashed, "it ended itself with exit code 0"},
        Trick{"exit at the start", Status::crashed, "it ended itself with exit code 0"},
        Trick{"abort", Status::crashed, "nobody caught: these are its last words"},
        Trick{"abort at the start", Status::crashed, "signal 6"},
        Trick{"segv", Status::crashed, kSegv}, Trick{"hang", Status::hung, "no answer in 1 s"},
        Trick{"stop", Status::hung, "no answer in 1 s"},
        Trick{"flood", Status::crashed, "it printed more than 64 MiB"},
        Trick{"status", Status::crashed, "signal 11 (Segmentation fault), often an index"},
        Trick{"close", Status::hung, "no answer in 1 s"},
        Trick{"nonsense", Status::cheats, "answers nonsense"},
        Trick{"rounding", Status::wrong, "y["},
        Trick{"input", Status::wrong, "the input x was changed"},
        Trick{"later input", Status::wrong, "y"},
        Trick{"behind", Status::wrong, "y was written outside its bounds"},
        Trick{"thread", Status::wrong, ""},
        Trick{"twice", Status::wrong, "] was not written, want"},
        Trick{"tolerance", Status::wrong, "] was not written, want"},
        Trick{"throw", Status::failed, "no such tile"},
        Trick{"pin", Status::cheats, "it changed the cores or the priority of another"},
        Trick{"spin", Status::cheats, "it left 1 processes running"},
        Trick{"spin beside", Status::cheats, "it left 1 processes running"},
        Trick{"problem", Status::cheats, "it registers another problem than the exercise's"},
        Trick{"nothing", Status::failed, "it registers no variant: the last line as shipped"},
        Trick{"name", Status::cheats, "it registers another problem than the exercise's"},
        Trick{"arrays", Status::cheats, "it asks for other arrays than the lesson"},
        Trick{"twins", Status::cheats, "two variants exercise for cpu"}),
    [](const auto& trick) { return test_name(trick.param.name); });

// What the backend of its process counts goes the same way as its time.
TEST(Dishonest, CountersComeFromItsProcess) {
  std::vector<Row> rows = measure("waits");
  EXPECT_GE(rows[2].counters[Counter::switches], 1);
}

// The exercise here registers the problem of the lesson's baseline, which names another one for it.
TEST(Dishonest, IsHeldToTheProblemThatTheBaselineNames) {
  Remote exercise({WB_DISHONEST_EXERCISE, "--serve", "--backend=cpu"});
  Registry registry = linked_variants();
  Problem task = *registry.front().problem;
  task.type = "task";
  registry.front().exercise = &task;
  add_exercise(registry, exercise, "cpu");
  EXPECT_EQ(registry.back().name, "exercise");
  EXPECT_EQ(registry.back().problem, &task);
}

// In a program with variants of two backends the first is of one of them.
TEST(Dishonest, IsHeldToTheProblemOfItsOwnBackend) {
  Remote exercise({"/bin/false"});
  Registry registry = linked_variants();
  Problem other = *registry.front().problem;
  other.type = "other";
  registry.push_back({&other, "baseline", "cuda", {}, ""});
  add_exercise(registry, exercise, "cuda");
  EXPECT_EQ(registry.back().backend, "cuda");
  EXPECT_EQ(registry.back().problem, &other);
}

TEST(Honest, IsARowLikeOthers) {
  for (const char* trick : {"", "table", "settings", "forge"}) {
    const Row row = measure(trick)[2];
    EXPECT_EQ(row.status, Status::ok) << trick << row.reason;
    EXPECT_EQ(row.samples.size(), 2u);
    EXPECT_TRUE(row.split) << row.no_goodput;
  }
}

// As on a fast machine with many cores: the trace ends after fewer launches. More than a trace
// holds in a single one leave the row without goodput.
TEST(Honest, MayHaveManySpans) {
  const Row many = measure("spans", 60, 20'000)[2], too_many = measure("spans", 60, 400'000)[2];
  EXPECT_EQ(many.status, Status::ok) << many.reason;
  EXPECT_TRUE(many.split) << many.no_goodput;
  EXPECT_EQ(too_many.status, Status::ok) << too_many.reason;
  EXPECT_FALSE(too_many.split);
  EXPECT_TRUE(has(too_many.no_goodput, "300000 spans")) << too_many.no_goodput;
}

// An answer ahead of the work: the outputs are not there yet, or, where this process was too slow
// to see that, the work's own answer stands where the next one should.
TEST(Dishonest, AnswersNothingAhead) {
  const Row row = measure("early")[2];
  EXPECT_TRUE(row.status == Status::wrong ? has(row.reason, "not written, want")
                                          : has(row.reason, "answers nonsense"))
      << row.reason;
}

TEST(Dishonest, ClockDoesNotCount) {
  EXPECT_GT(noted("its own clock says", "clock", 4 * kFew, 0.005).samples[0], 1e-5);
}

// Nor where it lies in one of four launches: each counts as the clock outside saw it.
TEST(Dishonest, ClockThatLiesNowAndThenIsSeen) {
  noted("its own clock says", "clock at times", 2 * kFew, 0.05);
}

// What a clock hides counts, however short the row is.
TEST(Dishonest, ShortRowsAreSeenFromOutside) {
  const Beyond own = {{"baseline", {{9e-6, 9e-6, 9e-6, 9e-6}, {18e-6, 19e-6, 20e-6, 21e-6}}},
                      {"optimized", {{9e-6, 9e-6}, {21e-6, 21e-6}}}};
  EXPECT_NEAR(hidden({{1e-9, 1e-9, 1e-9}, {31e-6, 32e-6, 90e-6}}, own).more, 10.5e-6, 1e-6);
  EXPECT_EQ(hidden({{11e-6, 11e-6, 11e-6}, {20e-6, 22e-6, 90e-6}}, own).more, 0);
  EXPECT_EQ(hidden({{11e-6}, {90e-6}}, {}).more, 0);  // a test, which measures nothing
  EXPECT_NEAR(counted(1e-6, 90e-6, own), 70e-6, 1e-6);
  EXPECT_EQ(counted(11e-6, 22e-6, own), 11e-6);
  EXPECT_EQ(counted(11e-6, 90e-6, {}), 11e-6);
}

// Who is seen late, because it or its judge had to wait for a core, has hidden no more than its
// threads worked.
TEST(Honest, WaitingForACoreIsNoLie) {
  const Beyond own = {
      {"baseline",
       {{9e-6, 9e-6, 9e-6, 9e-6}, {18e-6, 19e-6, 20e-6, 21e-6}, {8e-6, 8e-6, 9e-6, 9e-6}}}};
  const std::vector<double> claimed(16, 100e-6), late(16, 90e-6);
  EXPECT_NEAR(hidden({claimed, late}, own).more, 70e-6, 1e-6);  // nobody knows what they worked
  EXPECT_EQ(hidden({claimed, late, std::vector(16, -200e-6)}, own).more, 0);
  EXPECT_EQ(hidden({claimed, late, std::vector(16, 10e-6)}, own).more, 0);
  EXPECT_NEAR(hidden({claimed, late, std::vector(16, 49e-6)}, own).more, 40e-6, 1e-6);
}

// The lesson's variants may sleep in a launch, as while other threads work. What their thread works
// besides is counted all the same, so an honest exercise, which works besides as long, has no note.
TEST(Honest, WorksBesidesAsTheLessonDoes) {
  for (const i64 elements : {1 << 12, 1 << 16})
    EXPECT_EQ(measure("the lesson waits", 60, elements)[2].note, "") << elements;
}

// Everyone is seen late while other programs work, so that what a clock hides can't be seen from
// outside; what its launching thread worked can.
TEST(Dishonest, ABusyMachineHidesNoLie) {
  const std::vector<double> late{0.1e-3, 0.2e-3, 1e-3, 3e-3, 5e-3}, work{80e-6, 90e-6, 0.1e-3};
  const Beyond own = {{"baseline", {std::vector(5, 400e-6), late, {}, work}}};
  const std::vector<double> nothing(16, 1e-9), some(16, 2e-3);
  EXPECT_EQ(hidden({nothing, some, std::vector(16, 600e-6)}, own).more, 0);
  const Hidden h = hidden({nothing, some, std::vector(16, 600e-6), std::vector(16, 600e-6)}, own);
  EXPECT_NEAR(h.more, 500e-6, 10e-6);
  EXPECT_NEAR(without_lie(1e-9, {nothing, some, {}, std::vector(16, 600e-6)}, own), 1e-3, 1e-6)
      << "2 ms were seen, and half of the lesson's launches are seen 1 ms late";
  // It can't have worked for longer than it claims, but for what the judge has it do besides.
  for (const double besides : {-2e-3, 90e-6, 120e-6}) {
    const std::vector<double> launcher(16, besides);
    EXPECT_EQ(hidden({std::vector(16, 400e-6), some, launcher, launcher}, own).more, 0) << besides;
  }
}

// A clock that lies in a quarter of the launches, or in an eighth.
TEST(Dishonest, ALieNowAndThenIsSeen) {
  const Beyond own = {{"baseline", {{9e-6, 9e-6, 9e-6, 9e-6}, {18e-6, 19e-6, 20e-6, 21e-6}}}};
  for (const int of : {4, 8}) {
    Claims all{std::vector(128, 100e-6), std::vector(128, 20e-6)};
    for (int i = 0; i < 128; i += of) all.claimed[i] = 10e-6, all.beyond[i] = 110e-6;
    EXPECT_EQ(hidden(all, own).more, 0);
    const Hidden h = hidden(all, own, 1.0 / of);
    EXPECT_NEAR(h.claimed, 10e-6, 1e-7);
    EXPECT_NEAR(h.more, 89.5e-6, 1e-6);
    EXPECT_NEAR(counted(all.claimed[0], all.beyond[0], own), 100e-6, 1e-6);
    EXPECT_NEAR(without_lie(10e-6, all, own), 100.5e-6, 1e-6) << "were the quickest ones to count";
    EXPECT_EQ(without_lie(100e-6, all, own), 100e-6) << "that is what was seen";
    // A busy machine wakes the process late as often: this is no lie.
    for (int i = 0; i < 128; i += of) all.claimed[i] = 100e-6;
    for (const double share : {0.5, 0.25, 0.125})
      EXPECT_EQ(hidden(all, own, share).more, 0) << share;
  }
}

// Whether x has a Fill, as inputs have that have to be sorted, rounded or alike.
class KeptAnswers : public testing::TestWithParam<bool> {
 protected:
  KeptAnswers() { GetParam() ? ::setenv("WB_FILLED", "", 1) : ::unsetenv("WB_FILLED"); }
  ~KeptAnswers() override { ::unsetenv("WB_FILLED"); }
};
INSTANTIATE_TEST_SUITE_P(Filled, KeptAnswers, testing::Bool());

// The parts of all elements that this trick computes in timed launches. (How long they take depends
// on who else has something to do.)
std::vector<double> computed(const std::string& trick, i64 elements, double budget) {
  constexpr std::ptrdiff_t kChecked = 3;  // launches ahead of the timed ones
  const Scratch scratch;
  const std::string file = scratch.file("computed");
  ::setenv("WB_COMPUTED", file.c_str(), 1);
  std::istringstream numbers;
  const Row row = measure(trick, 60, elements, budget, [&] { numbers.str(read_file(file)); })[2];
  ::unsetenv("WB_COMPUTED");
  EXPECT_EQ(row.status, Status::ok) << row.reason;
  std::vector<double> parts(std::istream_iterator<double>(numbers), {});
  EXPECT_GT(std::ssize(parts), kChecked);
  parts.erase(parts.begin(), parts.begin() + std::min(kChecked, std::ssize(parts)));
  for (double& part : parts) part /= static_cast<double>(elements);
  return parts;
}

// Nearly every launch has inputs that none had before.
TEST_P(KeptAnswers, AreWorthNothing) {
  EXPECT_EQ(median(computed("slow", kFew, 0.1)), 1);
  EXPECT_EQ(median(computed("by inputs", kFew, 0.1)), 1);
}

TEST_P(KeptAnswers, AreNotSeenWhereThereAreNone) {
  const Row honest = measure("slow", 60, kFew, 0.1)[2];
  EXPECT_FALSE(has(honest.note, "all inputs are new"));
}

// Threads sleep while so many inputs are drawn, and not while few change.
TEST_P(KeptAnswers, AreNotSeenWhereThreadsFallAsleep) {
  EXPECT_EQ(measure("falls asleep", 60, 1 << 20, 0.5)[2].note, "");
}

// The first launches have all inputs new, and of long ones there are no others: who computes again
// only what has changed computes nearly all.
TEST_P(KeptAnswers, OfFewLaunchesAreWorthNothing) {
  const std::vector<double> parts = computed("what changed", 4 * kFew, 0.005);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, parts.size()); ++i)
    EXPECT_GT(parts[i], 0.9) << "launch " << i + 1;
}

// And where all of them are new, there is nothing to spare.
TEST_P(KeptAnswers, ToInputsThatHardlyChangedAreSeen) {
  noted("times as long where all inputs are new", "what changed", 1 << 8, 0.1);
}

TEST(Kept, IsToldWhereItIsMuch) {
  const auto longer = [](double times) {
    judged::Kept kept(false);
    for (int launch = 0; launch < 32; ++launch)
      kept.add(1e-3 * (launch % 2 ? times : 1),
               launch % 2 ? Inputs::all_new : Inputs::before_after_pause);
    return kept.times_longer();
  };
  EXPECT_NEAR(longer(1.3), 1.3, 0.01);  // and that counts
  EXPECT_FALSE(judged::Kept::is_much(longer(1.3)));
  EXPECT_TRUE(judged::Kept::is_much(longer(2)));
}

// Who keeps the last inputs and answers computes all of a launch on new inputs, and of the one
// after it; and little of the others. However long drawing takes, some pairs show that.
TEST(Kept, IsToldOfWhoKeepsTheLastInputs) {
  for (const bool accelerator : {false, true})
    for (const double drawing : {0.001, 0.3, 3.0})
      for (const double times : {1.0, 3.0}) {
        judged::Kept kept(accelerator);
        Inputs last = Inputs::before;
        for (int launch = 0; launch < 100; ++launch) {
          const Inputs now = kept.next(/*exercise=*/true);
          if (now == Inputs::all_new) kept.drawn(drawing);
          const bool all = now == Inputs::all_new || last == Inputs::all_new;
          kept.add(1e-3 * (all ? times : 1), now);
          last = now;
        }
        EXPECT_NEAR(kept.times_longer(), times, 0.01) << accelerator << ' ' << drawing;
      }
}

// A launch that is chosen in secret has all of its answers checked. One measurement in seven finds
// the trick here.
TEST(Dishonest, AFewWrongAnswersAreFound) {
  Row row;
  const std::string wrong = " of " + std::to_string(kFew) + " wrong";
  for (int attempt = 0; attempt < 100 && !has(row.reason, wrong); ++attempt)
    row = measure("but few", 60, kFew, 0.1)[2];
  EXPECT_EQ(row.status, Status::wrong);
  EXPECT_TRUE(has(row.reason, "y: 1" + wrong) || has(row.reason, "y: 2" + wrong)) << row.reason;
}

// The lesson's program from outside: what it prints and writes, and its exit code.
class Program : public testing::Test {
 protected:
  Program() {
    fs::create_directories(root_ / "bin");
    ::setenv("XDG_CACHE_HOME", root_.c_str(), 1);  // whatever ceilings this machine has
    fs::copy_file(WB_DRIVER, root_ / "bin/workbook_driver");
    fs::copy_file(WB_LESSON_PROGRAM, root_ / "bin/third");
    fs::copy_file(WB_DISHONEST_EXERCISE, root_ / "bin/exercise_third");
    fs::create_symlink("/bin/true", root_ / "bin/peaks");  // no ceilings, and no word about it
    const std::string lesson =
        R"({"lesson":"common/tests/dishonest","program":"third","variants":[)"
        R"({"variant":"baseline","backend":"cpu"},)"
        R"({"variant":"optimized","backend":"cpu"},)"
        R"({"variant":"exercise","backend":"cpu"}]})";
    write_atomically(
        (root_ / "lessons.json").string(),
        R"({"source":")" + root_.string() +
            R"(","backends":[{"name":"cpu","extension":".cpp","device":"CPU","accelerator":false,"sanitizer":false}],"lessons":[)" +
            lesson + "]}");
  }
  ~Program() override { fs::remove_all(root_); }
  Outcome run(const char* trick, std::vector<std::string> words) const {
    ::setenv("WB_DISHONEST", trick, 1);
    words[0] = (root_ / "bin" / words[0]).string();
    words.insert(words.end(), {"--backend=cpu", "--axis", "elements=4096", "--fast"});
    return run_process(words, 60);
  }
  Outcome lesson(const char* trick) const {
    return run(trick, {"third", "--exercise=" + file("bin/exercise_third"),
                       "--benchmark_out=" + file("r.json")});
  }
  std::string file(const char* name) const { return (root_ / name).string(); }
  Results results() const { return load_results(file("r.json")); }

  const fs::path root_ = fs::temp_directory_path() / ("wb_dishonest_" + std::to_string(::getpid()));
};

TEST_F(Program, WritesItsOwnResultsAndTables) {
  const Outcome forged = lesson("forge");
  EXPECT_EQ(forged.code, 0) << forged.errors;
  EXPECT_EQ(results().rows.size(), 3u);
  const Outcome printed = lesson("table");
  EXPECT_FALSE(has(printed.output, "1000x"));
  EXPECT_TRUE(has(printed.errors, "exercise_third: exercise 1 ns 1000x"));
}

// OpenMP would crash.
TEST_F(Program, StartsNoMoreThreadsThanHelp) {
  ::setenv("OMP_NUM_THREADS", "99999", 1);
  ::unsetenv("WB_STARTED");
  const Outcome outcome = run("", {"third"});
  ::unsetenv("OMP_NUM_THREADS");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(has(outcome.errors, "OMP_NUM_THREADS=99999: "));
}

TEST_F(Program, EndsAsTheReadmeSays) {
  EXPECT_EQ(lesson("segv").code, 4);
  EXPECT_EQ(results().rows[2].status, Status::crashed);
  EXPECT_EQ(lesson("twice").code, 1);
  const Outcome twins = run("twins", {"exercise_third"});
  EXPECT_EQ(twins.code, 2);
  EXPECT_TRUE(has(twins.errors, "two variants exercise for cpu in this program"));
}

// The lesson's test, which judges the exercise in a process of its own: what it says, its exit
// code.
struct Judged {
  int code;
  std::string said, report;
};
Judged test_exercise(const char* trick, const std::string& filter = "*") {
  ::setenv("WB_DISHONEST", trick, 1);
  const Scratch scratch;
  const std::string report = scratch.file("report.json");
  const Outcome outcome =
      run_process({WB_LESSON_TEST, std::string("--exercise=") + WB_DISHONEST_EXERCISE,
                   "--backend=cpu", "--gtest_output=json:" + report, "--gtest_filter=" + filter},
                  60);
  return {outcome.code, outcome.output + outcome.errors,
          fs::exists(report) ? read_file(report) : ""};
}

TEST(ExerciseTest, IsAProgramOrIsRefusedInOneLine) {
  const auto said = [](const std::string& program) {
    const Outcome outcome = run_process({WB_LESSON_TEST, "--exercise=" + program}, 60);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    return outcome.errors;
  };
  EXPECT_EQ(said("/nonexistent"),
            "--exercise=/nonexistent: No such file or directory: build it first\n");
  EXPECT_EQ(said("/"), "--exercise=/: this is a folder: name the program\n");
}

TEST(ExerciseTest, IsOnTheProblemOfTheLesson) {
  const Judged honest = test_exercise("");
  EXPECT_EQ(honest.code, 0) << honest.said;
  EXPECT_TRUE(has(honest.said, "exercise/cpu/elements=3"));
  EXPECT_FALSE(has(honest.said, "baseline/"));
}

class ExerciseTestTrick : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ExerciseTestTrick, IsJudgedFromOutside) {
  const auto& [trick, reason] = GetParam();
  const Judged j = test_exercise(trick);
  EXPECT_EQ(j.code, 1) << j.said;
  EXPECT_TRUE(has(j.said, reason));
  EXPECT_TRUE(has(j.report, "\"failures\""));
  EXPECT_NO_THROW(parse_json(j.report)) << j.report;
  ::usleep(20000);  // who is left to forge it?
}

INSTANTIATE_TEST_SUITE_P(
    Exercise, ExerciseTestTrick,
    testing::Values(std::pair("forge report", "it ended itself with exit code 0"),
                    std::pair("forge report later", "it left 1 processes running"),
                    std::pair("exit at the start", "it ended itself with exit code 0"),
                    std::pair("segv", kSegv), std::pair("abort", "these are its last words"),
                    std::pair("problem", "it registers another problem than the exercise's"),
                    std::pair("nothing", "it registers no variant: the last line as shipped"),
                    std::pair("a hundred gigabytes", "it ran out of memory: it allocates more"),
                    std::pair("arrays", "it asks for other arrays than the lesson"),
                    std::pair("refuse", "it refuses this case"), std::pair("two cores", "y: "),
                    std::pair("tolerance", "] was not written"),
                    std::pair("throw", "no such tile\nelements="),
                    std::pair("behind", "outside its bounds"), std::pair("reads in front", kFault),
                    std::pair("first answer",
                              "right for the launch before, in which an input value was different"),
                    std::pair("reads behind", kFault), std::pair("input", "x was written outside")),
    [](const auto& trick) { return test_name(trick.param.first); });

#ifndef __SANITIZE_ADDRESS__
// Too little memory says nothing of the exercise.
TEST(ExerciseTest, WithoutMemoryIsNoFailureOfTheExercise) {
  const Scratch scratch;
  const std::string report = scratch.file("report.json");
  ::setenv("WB_DISHONEST", "", 1);
  run_process({"/bin/sh", "-c",
               std::string("ulimit -v 400000; exec ") + WB_LESSON_TEST + " --exercise=" +
                   WB_DISHONEST_EXERCISE + " --backend=cpu --gtest_output=json:" + report},
              60);
  ASSERT_TRUE(fs::exists(report));
  EXPECT_TRUE(has(read_file(report), "\"ended\": \"no memory\""));
}
#endif

TEST(ExerciseTest, IsToBeForTheBackendAskedFor) {
  const Judged j = test_exercise("elsewhere");
  EXPECT_EQ(j.code, 1) << j.said;
  EXPECT_TRUE(has(j.said, "it registers another problem than the exercise's"));
}

TEST(ExerciseTest, EndsCleanlyWhereNoTestIsSelected) {
  const Judged j = test_exercise("", "nothing");
  EXPECT_EQ(j.code, 1) << j.said;
  EXPECT_TRUE(has(j.said, "no test was selected"));
}

TEST_F(Program, StandsBesideItsLessonInTheDriver) {
  const auto driver = [&](const char* trick, std::vector<std::string> words) {
    words.insert(words.begin(), "workbook_driver");
    words.insert(words.end(), {"--json", file("r.json")});
    return run(trick, words).code;
  };
  EXPECT_EQ(driver("", {"compare", "third", "third/exercise"}), 0);
  EXPECT_EQ(results().rows.size(), 3u);
  EXPECT_EQ(driver("", {"run", "third/exercise"}), 0);
  EXPECT_EQ(results().rows.size(), 1u);
  EXPECT_EQ(driver("abort", {"compare", "third/exercise", "third/baseline"}), 4);
  EXPECT_EQ(results().rows[1].status, Status::crashed);
  fs::remove(root_ / "bin/exercise_third");
  EXPECT_EQ(driver("", {"compare", "third/exercise", "third/baseline"}), 1);
  EXPECT_EQ(results().rows[0].samples.size(), 5u);
  EXPECT_EQ(results().rows[1].status, Status::not_built);
}

TEST_F(Program, IsCheckedAsAnExercise) {
  ::setenv("XDG_STATE_HOME", root_.c_str(), 1);
  fs::copy_file(WB_LESSON_TEST, root_ / "bin/third_test");
  fs::create_directories(root_ / "common/tests/dishonest");
  write_atomically(file("common/tests/dishonest/baseline.cpp"), "// slow\n");
  const auto check = [&](const char* trick, const char* factor) {
    write_atomically(file("common/tests/dishonest/exercise.cpp"),
                     std::string("// Goal: ") + factor + " times optimized at elements=524288\n");
    ::setenv("WB_DISHONEST", trick, 1);
    return run_process({file("bin/workbook_driver"), "check", "third", "--fast"}, 120);
  };
  const Outcome met = check("", "0.0001"), missed = check("", "10000");
  EXPECT_EQ(met.code, 0) << met.output << met.errors;
  EXPECT_TRUE(
      has(met.output, "exercise.cpp is right: 15 tests, listed and random sizes, the goal's"));
  EXPECT_TRUE(has(met.output, "of optimized, goal 0.0001: met\n"));
  EXPECT_EQ(missed.code, 1) << missed.errors;
  EXPECT_TRUE(has(missed.output, "times optimized, goal 10000: not met\n"));
  const Outcome wrong = check("twice", "0.0001");
  EXPECT_EQ(wrong.code, 1) << wrong.errors;
  EXPECT_TRUE(has(wrong.output, "y: 64 of 64 wrong (all), first y[0] was not written"));
  const Outcome crashed = check("abort", "0.0001");
  EXPECT_EQ(crashed.code, 4) << crashed.output;
  EXPECT_TRUE(
      has(crashed.errors, "exercise.cpp crashed, elements=3: signal 6 (Aborted), often a "));
  const Outcome edited = check("edit", "0.0001");
  EXPECT_EQ(edited.code, 1) << edited.output;
  EXPECT_TRUE(has(edited.errors, "dishonest/baseline.cpp was changed while"));
  for (const char* trick : {"forge report", "forge report later", "exit"}) {
    const Outcome forged = check(trick, "0.0001");
    EXPECT_NE(forged.code, 0) << trick << forged.output;
    EXPECT_FALSE(has(forged.output, "is right")) << trick;
  }
}

}  // namespace
}  // namespace wb::judged
