// How the rows of a case are chosen and measured: their order, their turns, and that one that fails
// leaves the others alone.
#include "measure/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "base/failure.h"
#include "base/files.h"
#include "base/process.h"
#include "device/backends.h"
#include "device/cpu/triad.h"
#include "has.h"
#include "model/results.h"
#include "queued_backend.h"

namespace wb {
namespace {

// A lesson on the CPU: y = x, with variants that the test gives.
struct Lesson {
  struct Args {
    const float* x;
    float* y;
  };
  static constexpr int kCount = 100;
  Problem problem;
  Registry registry;
  std::string launches;  // the first letter of each variant that ran

  Lesson() {
    problem.lesson = "ch0/lesson";
    problem.bench = {{{"n", kCount}}};
    problem.bind = [](Binder& io, const Case& s) {
      return std::make_shared<Args>(Args{io.in<float>("x", s["n"]), io.out<float>("y", s["n"])});
    };
    problem.cost = [](const void*) { return Cost{.flops = 1}; };
    problem.tolerance = [](const void*) { return Tolerance{}; };
    problem.reference = [](const void* a, Sampler&) { copy(a); };
  }

  static void copy(const void* args) {
    const auto& a = *static_cast<const Args*>(args);
    std::copy(a.x, a.x + kCount, a.y);
  }
  void add(const std::string& name, std::chrono::microseconds takes = std::chrono::microseconds(50),
           std::function<void(const void*)> work = copy) {
    registry.push_back({&problem, name, "cpu", [=, this](const void* args) -> Launch {
                          return [=, this](void*) {
                            launches += name[0];
                            work(args);
                            std::this_thread::sleep_for(takes);
                          };
                        }});
  }
};

Options quick() {
  Options options;
  options.backend = "cpu";
  options.cache = "hot";
  options.repetitions = 3;
  options.sample_seconds = 0.005;
  return options;
}

struct Measured {
  Lesson& lesson;
  Options options;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::vector<Group> groups = make_groups(lesson.registry, options, *backend, nullptr);
  Rounds rounds{*backend, options, [](const Entry&) {}, Neighbours::probes_of(*backend)};
  Group& group = groups.front();
};

TEST(Groups, VariantsStandInTheOrderOfALesson) {
  Lesson lesson;
  for (const char* name : {"solution", "step2_b", "library", "all_shapes", "optimized", "exercise",
                           "baseline", "step1_a"})
    lesson.add(name);
  Options options = quick();
  options.variant = "solution,step2_b,library,all_shapes,optimized,exercise,baseline,step1_a";
  Measured run{lesson, options};
  std::string order;
  for (const Entry& e : run.group.entries) order += e.row.variant + " ";
  EXPECT_EQ(order, "baseline step1_a step2_b optimized all_shapes library exercise solution ");
  EXPECT_EQ(benchmark_name(run.group.entries[0].row), "ch0/lesson/baseline/cpu/n=100");
}

TEST(Groups, OnlyNamedVariantsAndAtLeastOne) {
  Lesson lesson;
  lesson.add("baseline"), lesson.add("optimized"), lesson.add("solution");
  Options options = quick();
  options.variant = "optimized,solution";
  EXPECT_EQ((Measured{lesson, options}).group.entries.size(), 2u);
  options.variant = "";
  EXPECT_EQ((Measured{lesson, options}).group.entries.size(), 2u) << "without the solution";
  options.variant = "optimised";
  EXPECT_THROW(static_cast<void>(Measured{lesson, options}), Failure);
  options.variant = "";
  options.filter = "nothing_like_it";
  EXPECT_THROW(static_cast<void>(Measured{lesson, options}), Failure);
}

TEST(Rounds, ARowWhoseLaunchTakesLongHasFewerSamples) {
  using std::chrono::milliseconds;
  Lesson lesson;
  lesson.add("baseline", milliseconds(400));
  lesson.add("optimized");
  Options options = quick();
  options.repetitions = 0;
  ASSERT_EQ(options.samples(), 9);
  Measured run{lesson, options};
  for (int i = 0; i < options.samples(); ++i) run.rounds.take(run.group);
  run.rounds.finish(run.group, nullptr);
  const Row &slow = run.group.entries[0].row, &quick = run.group.entries[1].row;
  EXPECT_EQ(slow.samples.size(), 3u);
  EXPECT_TRUE(has(slow.note, "3 samples, because a launch takes 0.4"));  // 0.41 s on a busy machine
  EXPECT_EQ(quick.samples.size(), 9u);
  EXPECT_EQ(quick.note, "");
  // One launch is checked before the samples, and three of a quick one.
  EXPECT_EQ(std::ranges::count(lesson.launches, 'b'), 1 + 3);

  options.repetitions = 5;  // somebody asked for them
  Measured all{lesson, options};
  for (int i = 0; i < 5; ++i) all.rounds.take(all.group);
  EXPECT_EQ(all.group.entries[0].row.samples.size(), 5u);
}

// What a machine does for a tenth of a second must hit all rows alike. One after the other, as
// Google Benchmark would run them, there is one change a round.
TEST(Rounds, ARowSaysWhatItsVariantSaysOfTheCase) {
  Lesson lesson;
  for (const char* name : {"baseline", "optimized"}) lesson.add(name);
  lesson.registry[1].note = "of itself";
  lesson.registry[1].case_note = [](const void* args) {
    return static_cast<const Lesson::Args*>(args)->x ? "of a case" : "";
  };
  Measured run{lesson, quick()};
  run.rounds.take(run.group);
  EXPECT_EQ(run.group.entries[0].row.note, "");
  EXPECT_EQ(run.group.entries[1].row.note, "of itself; of a case");
}

TEST(Rounds, RowsTakeTurnsWithinASample) {
  Lesson lesson;
  lesson.add("baseline"), lesson.add("optimized");
  Measured run{lesson, quick()};
  run.options.sample_seconds = 0.1;  // a part is long beside a launch, even on a busy machine
  for (int round = 0; round < 3; ++round) {
    run.rounds.take(run.group);
    std::string& turns = lesson.launches;
    if (round > 0) {  // the first checks answers, too
      turns.erase(std::unique(turns.begin(), turns.end()), turns.end());
      EXPECT_GE(turns.size(), 6u) << turns;  // five parts, each with both
    }
    turns.clear();
  }
  for (const Entry& e : run.group.entries) EXPECT_EQ(e.row.samples.size(), 3u);
}

// While somebody else uses the core everything takes longer. After the first sample that is so in
// every second turn, or in all.
TEST(Rounds, TurnsOnACoreThatOthersUseDoNotCount) {
  Lesson lesson;
  bool busy = false, ran = false;
  lesson.add("baseline", std::chrono::microseconds(50), [&](const void* args) {
    Lesson::copy(args);
    ran = true;
    if (busy) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  Measured run{lesson, quick()};
  run.options.sample_seconds = 0.05;  // five parts, with several launches each
  const auto take = [&](bool always) {
    int parts = 0;
    busy = ran = false;
    Rounds rounds(*run.backend, run.options, [](const Entry&) {},
                  {[&] {
                     const bool now = busy;
                     if (std::exchange(ran, false)) busy = ++parts >= 5 && (always || !busy);
                     return now ? 30e-6 : 20e-6;
                   },
                   {}});
    run.groups = make_groups(lesson.registry, run.options, *run.backend, nullptr);
    for (int i = 0; i < 3; ++i) rounds.take(run.groups[0]);
    return run.groups[0].entries[0].row;
  };
  const Row some = take(/*always=*/false);
  for (const double seconds : some.samples) EXPECT_LT(seconds, 1e-3);
  EXPECT_EQ(some.note, "");
  const Row none = take(/*always=*/true);  // all parts count where none was quiet
  EXPECT_GT(none.samples[2], 2e-3);
  EXPECT_TRUE(has(none.note, "other programs used its core"));
}

// Memory is asked once a sample, for rows that move much, until there is no room for the question.
TEST(Rounds, RowsThatMoveMuchKnowWhatMemoryDelivered) {
  Lesson lesson;
  lesson.add("baseline");
  double asked = 0;
  const auto take = [&](double bytes, double room, const char* cache = "cold") {
    static double moved;
    moved = bytes;
    lesson.problem.cost = [](const void*) { return Cost{.write = moved}; };
    Measured run{lesson, quick()};
    run.options.cache = cache;
    asked = 0;
    const auto ask = [&](double of) {
      EXPECT_EQ(of, bytes);
      if (++asked > room) throw std::bad_alloc();
      return asked;
    };
    Rounds rounds(*run.backend, run.options, [](const Entry&) {}, {{}, ask});
    for (int i = 0; i < 3; ++i) rounds.take(run.group);
    EXPECT_EQ(run.group.entries[0].row.samples.size(), 3u);
    return run.group.entries[0].row.memory;
  };
  EXPECT_EQ(take(32 << 20, 15), 2);  // of three samples
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(take(32 << 20, 0), 0);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(take(1 << 19, 15), 0);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(take(32 << 20, 15, "hot"), 0);  // what comes from caches
  EXPECT_EQ(asked, 0);
}

TEST(Triad, DeliversWhatAMemoryCan) {
  const auto backend = make_cpu_backend();
  Triad triad(*backend);
  const double rate = triad.bytes_per_second(1e12);  // more than its arrays
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, 1e13);
  EXPECT_GT(triad.bytes_per_second(1), 0);  // less than a vector
}

TEST(Rounds, WhatTakesLongerThanASampleRunsOnceARound) {
  Lesson lesson;
  lesson.add("baseline", std::chrono::milliseconds(20)), lesson.add("optimized");
  Measured run{lesson, quick()};
  run.rounds.take(run.group);
  lesson.launches.clear();
  run.rounds.take(run.group);
  EXPECT_EQ(std::count(lesson.launches.begin(), lesson.launches.end(), 'b'), 1);
}

// The caches of this device take longer to evict than a sample of --fast.
TEST(Rounds, AShortLaunchHasSeveralPartsInAFastSample) {
  struct Slow : QueuedBackend {
    void* stream() override {  // a launch begins when what is queued is done
      synchronize_stream();
      return QueuedBackend::stream();
    }
    void time(const Launch& launch, Clock clock, Cache cache, std::span<const Region> r) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
      QueuedBackend::time(launch, clock, cache, r);
    }
  } backend;
  Lesson lesson;
  lesson.add("baseline"), lesson.add("optimized", std::chrono::milliseconds(3));
  // The most of a few samples: a busy machine may make a short launch long in some of them.
  const auto launches_of_a_sample = [&](bool fast) {
    Options options;
    options.backend = "cpu", options.repetitions = 9;
    options.fast = fast;
    if (!fast) options.sample_seconds = 0.01;  // as told
    std::vector<Group> groups = make_groups(lesson.registry, options, backend, nullptr);
    Rounds rounds(backend, options, [](const Entry&) {}, {});
    rounds.take(groups[0]);
    std::pair<long, long> most;
    for (int sample = 1; sample < options.repetitions - 1; ++sample) {  // the last one is checked
      lesson.launches.clear();
      rounds.take(groups[0]);
      most.first = std::max(most.first, std::ranges::count(lesson.launches, 'b'));
      most.second = std::max(most.second, std::ranges::count(lesson.launches, 'o'));
    }
    EXPECT_EQ(groups[0].entries[0].row.reason, "");
    return most;
  };
  const auto [short_ones, long_ones] = launches_of_a_sample(/*fast=*/true);
  EXPECT_GE(short_ones, 2);
  EXPECT_EQ(long_ones, 1);
  EXPECT_EQ(launches_of_a_sample(/*fast=*/false), std::pair(1l, 1l));
}

TEST(Rounds, WhatTakesNoTimeIsTooShort) {
  Results results;
  Row& row = results.rows.emplace_back();
  row.lesson = "ch0/lesson", row.variant = "baseline", row.backend = "cuda";
  for (const double seconds : {1e-9, 0.0}) Rounds::add_sample(row, seconds);
  EXPECT_EQ(row.status, Status::skipped);
  const Row back = from_json(to_json(results), "").rows.at(0);  // and that can be read again
  EXPECT_TRUE(back.reason.starts_with("too short: ")) << back.reason;
}

TEST(Rounds, AWrongRowHasNoTimeAndTheOthersDo) {
  Lesson lesson;
  lesson.add("baseline");
  lesson.add("step1_forgets", std::chrono::microseconds(50), [](const void*) {});
  lesson.add("step2_refuses", std::chrono::microseconds(50),
             [](const void*) { throw Unsupported("needs more"); });
  lesson.add("step3_throws", std::chrono::microseconds(50),
             [](const void*) { throw std::runtime_error("broken"); });
  lesson.add("optimized");
  Measured run{lesson, quick()};
  for (int round = 0; round < 3; ++round) run.rounds.take(run.group);
  std::vector<TracedRow> traces;
  run.rounds.finish(run.group, &traces);
  EXPECT_EQ(traces.size(), 2u);
  const auto& rows = run.group.entries;
  for (const int right : {0, 4}) {
    EXPECT_TRUE(runs(rows[right])) << rows[right].row.reason;
    EXPECT_EQ(rows[right].row.samples.size(), 3u);
    EXPECT_TRUE(rows[right].row.split.has_value());
  }
  EXPECT_TRUE(has(rows[1].row.reason, "y: 100 of 100 wrong"));
  EXPECT_EQ(rows[1].row.status, Status::wrong);
  EXPECT_EQ(rows[2].row.status, Status::skipped);
  EXPECT_EQ(rows[2].row.reason, "needs more");
  EXPECT_EQ(rows[3].row.status, Status::failed);
  EXPECT_EQ(rows[3].row.reason, "broken");
  for (const int wrong : {1, 2, 3}) EXPECT_TRUE(rows[wrong].row.samples.empty());
  EXPECT_EQ(run.rounds.lost(), "");
}

// A first look has one set of inputs, which a launch finds each time; and wrong answers are seen.
TEST(Rounds, ASurveyChecksItsAnswers) {
  for (const bool survey : {false, true}) {
    Lesson lesson;
    std::set<std::vector<float>> inputs;
    lesson.add("baseline", {}, [&](const void* args) {
      const auto& a = *static_cast<const Lesson::Args*>(args);
      inputs.emplace(a.x, a.x + Lesson::kCount);
      Lesson::copy(args);
    });
    lesson.add("optimized", {}, [](const void* args) {
      Lesson::copy(args);
      static_cast<const Lesson::Args*>(args)->y[Lesson::kCount - 1] += 1;
    });
    Options options = quick();
    options.repetitions = 0, options.survey = survey;
    Measured run{lesson, options};
    for (int i = 0; i < options.samples(); ++i) run.rounds.take(run.group);
    EXPECT_EQ(run.group.entries[0].row.samples.size(), survey ? 5 : 9);
    EXPECT_EQ(run.group.entries[0].row.status, Status::ok);
    EXPECT_EQ(run.group.entries[1].row.status, Status::wrong);
    EXPECT_EQ(inputs.size() == 1, survey);
  }
}

// Right while it is checked and wrong later: the last sample of a row is checked as well.
TEST(Rounds, ARowThatGoesWrongLaterIsSeen) {
  Lesson lesson;
  int times = 0;
  lesson.add("baseline", std::chrono::microseconds(50), [&](const void* args) {
    if (++times < 8) Lesson::copy(args);
  });
  Measured run{lesson, quick()};
  for (int round = 0; round < 3; ++round) run.rounds.take(run.group);
  EXPECT_FALSE(runs(run.group.entries[0]));
}

// One row below 50 us, and all of the case are timed again, or baseline and optimized would be read
// from two clocks. (The CPU has no activity records, and the rows say so.)
TEST(Rounds, ACaseIsReadFromOneClock) {
  Lesson lesson;
  lesson.add("baseline"), lesson.add("optimized");
  for (const auto& [seconds, again] : {std::pair{57e-6, true}, {51e-6, false}}) {
    Measured run{lesson, quick()};
    run.rounds.take(run.group);
    auto& rows = run.group.entries;
    for (Entry& e : rows) e.row.timer = "events";
    rows[0].row.samples.assign(3, seconds);
    rows[1].row.samples.assign(3, seconds - 10e-6 * again);
    run.rounds.finish(run.group, nullptr);
    for (const Entry& e : rows)
      EXPECT_EQ(e.row.note.find("event pairs") != std::string::npos, again) << e.row.note;
    EXPECT_EQ(rows[0].row.samples, std::vector<double>(3, seconds));
  }
}

// A peer that gives each kind of sample its own time.
std::string write_clocks(double events, double records, const std::string& name = "clocks") {
  const std::string script = testing::TempDir() + name + "." + std::to_string(::getpid()) + ".py";
  write_atomically(script, R"(
import json, sys
print('{"peer": "Clocks 1.0", "knows": ["lesson"], "variants": {"clocks": "Clocks"}}', flush=True)
for line in sys.stdin:
    seconds = )" + std::to_string(records) +
                               R"( if json.loads(line)["records"] else )" + std::to_string(events) +
                               R"(
    print(json.dumps({"seconds": seconds, "timer": "events"}), flush=True)
)");
  return script;
}

// The clock that lengthens its worst row less counts for all rows of a case; a row that the other
// one shows shorter says so.
TEST(Rounds, ACaseIsReadFromTheClockThatLengthensItsWorstRowLess) {
  if (!in_path("python3")) GTEST_SKIP() << "no python3 here";
  Lesson lesson;
  lesson.add("baseline");
  for (const auto& [records, timer] : {std::pair{30e-6, "cupti"}, {60e-6, "events"}}) {
    const std::string script = write_clocks(40e-6, records);
    Peer peer(script, "");
    Measured run{lesson, quick()};
    run.options.peer = "clocks";
    run.groups = make_groups(lesson.registry, run.options, *run.backend, &peer);
    for (int i = 0; i < 3; ++i) run.rounds.take(run.groups[0]);
    run.rounds.finish(run.groups[0], nullptr);
    const Row& row = run.groups[0].entries[1].row;
    EXPECT_EQ(row.timer, timer);
    EXPECT_EQ(row.samples, std::vector<double>(3, std::min(records, 40e-6)));
    EXPECT_EQ(row.note, "Clocks 1.0");
    std::filesystem::remove(script);
  }
  // Two peers in a case: one that records make 1.2 times as long, one that events make twice as
  // long.
  const std::string slowed = write_clocks(50e-6, 60e-6, "slowed");
  const std::string quick_one = write_clocks(10e-6, 5e-6, "quick");
  Peer first(slowed, ""), second(quick_one, "");
  Measured run{lesson, quick()};
  run.options.peer = "clocks";
  run.groups = make_groups(lesson.registry, run.options, *run.backend, &first);
  Group& group = run.groups[0];
  group.entries.push_back(
      {.variant = group.entries[0].variant, .row = group.entries[1].row, .peer = &second});
  for (int i = 0; i < 3; ++i) run.rounds.take(group);
  run.rounds.finish(group, nullptr);
  EXPECT_EQ(group.entries[1].row.samples, std::vector<double>(3, 60e-6));
  EXPECT_EQ(group.entries[1].row.note, "Clocks 1.0; 50 us by events");
  EXPECT_EQ(group.entries[2].row.samples, std::vector<double>(3, 5e-6));
  EXPECT_EQ(group.entries[2].row.timer, "cupti");
  for (const std::string& script : {slowed, quick_one}) std::filesystem::remove(script);
}

// How far from the reference the answers were, right ones too, is a figure of the row.
TEST(Rounds, ARowKnowsItsWorstError) {
  Lesson lesson;
  lesson.problem.tolerance = [](const void*) { return Tolerance{.abs = 1e-2}; };
  lesson.add("baseline");
  lesson.add("optimized", std::chrono::microseconds(50), [](const void* args) {
    Lesson::copy(args);
    static_cast<const Lesson::Args*>(args)->y[7] += 1e-3f;
  });
  Measured run{lesson, quick()};
  for (int round = 0; round < 3; ++round) run.rounds.take(run.group);
  const Row &exact = run.group.entries[0].row, &off = run.group.entries[1].row;
  EXPECT_EQ(exact.error->absolute, 0);
  EXPECT_EQ(off.status, Status::ok) << off.reason;
  EXPECT_NEAR(off.error->absolute, 1e-3, 1e-6);
  EXPECT_NEAR(off.error->of_allowed, 0.1, 1e-3);
  EXPECT_GE(off.error->relative, off.error->absolute);  // no input is above 1
}

TEST(Rounds, ArraysThatWereDroppedAreMadeAgainForTheTrace) {
  Lesson lesson;
  lesson.add("baseline");
  Measured run{lesson, quick()};
  for (int round = 0; round < 3; ++round) run.rounds.take(run.group);
  Rounds::drop(run.group);
  std::vector<TracedRow> traces;
  run.rounds.finish(run.group, &traces);
  EXPECT_EQ(traces.size(), 1u);
  EXPECT_TRUE(run.group.data.empty());
}

}  // namespace
}  // namespace wb
