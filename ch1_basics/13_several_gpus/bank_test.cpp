// A step that is wrong on one rank, or in one layer, must be caught; and a rank that dies is told
// of, it does not hang.
#include <gtest/gtest.h>

#include <map>

#include "bank/judge.h"
#include "device/backends.h"

namespace wb {
namespace {

#ifdef WB_WITH_MPI
const Case kCase = {{"ranks", 2}, {"layers", 3}, {"width", 33}, {"batch", 5}, {"bucket", 1}};

std::string verdict(const char* kind, std::size_t number) {
  const auto backend = make_cpu_backend();
  return judge(bank("cpu", kind).at(number), kCase, *backend, 1, 0.01);
}

TEST(RanksBank, EveryWrongStepIsCaught) {
  ASSERT_EQ(bank("cpu", "wrong").size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NE(verdict("wrong", i), "") << bank("cpu", "wrong")[i].name;
}

TEST(RanksBank, TheRightStepPasses) { EXPECT_EQ(verdict("right", 0), ""); }

// Spans are kept in the processes of the ranks, and come over by the machine's clock.
TEST(RanksBank, ATraceHasTheSpansOfEachRank) {
  const auto backend = make_cpu_backend();
  const Variant step = bank("cpu", "right").at(0);
  Data data(*step.problem, kCase, *backend, kSeed, {});
  data.arrays.load(0);
  Trial trial(step, data, *backend);
  ASSERT_EQ(trial.verify(), "");
  const Trace trace = trial.trace(3);
  std::map<std::pair<int, std::string>, int> count;
  for (const Interval& i : trace.intervals) {
    ++count[{i.rank, i.name}];
    EXPECT_LT(0, i.start);
    EXPECT_LE(i.start, i.end);
    EXPECT_LT(i.end, trace.wall) << "of a rank, by another clock";
    EXPECT_EQ(i.activity, i.name == "ring" ? Activity::copy : Activity::compute) << i.name;
  }
  for (const int rank : {0, 1})
    for (const char* name : {"forward", "ring", "update"})
      EXPECT_EQ((count[{rank, name}]), 3) << name << " of rank " << rank;
  EXPECT_EQ(count.size(), 8u) << "backward, too, and no others";
}

TEST(RanksBank, ARankThatDiesIsToldOf) {
  try {
    EXPECT_NE(verdict("dies", 0).find("mpirun ended early"), std::string::npos);
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("mpirun ended early"), std::string::npos) << e.what();
  }
}
#endif

}  // namespace
}  // namespace wb
