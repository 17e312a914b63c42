#include "model/trace.h"

#include <gtest/gtest.h>

namespace wb {
namespace {

TEST(Split, EveryInstantGoesToOneShareAndTheySumToOne) {
  Trace t;
  t.wall = 10;
  t.intervals = {
      {0, 2, Activity::allocate, "cudaMalloc", 0},
      {1, 4, Activity::to_device, "H2D", 1},    // 1..4 copies; 1..2 was also allocation
      {3, 6, Activity::compute, "kernel", 2},   // 3..6 compute wins over the copy
      {5, 7, Activity::compute, "kernel", 3},   // overlaps: the union counts once
      {6.5, 8, Activity::launch, "launch", 0},  // 7..8, after compute
  };
  const Split s = split(t);
  EXPECT_DOUBLE_EQ(s.compute, 0.4);
  EXPECT_DOUBLE_EQ(s.copies, 0.2);
  EXPECT_DOUBLE_EQ(s.allocation, 0.1);
  EXPECT_DOUBLE_EQ(s.launch, 0.1);
  EXPECT_DOUBLE_EQ(s.idle, 0.2);
  EXPECT_DOUBLE_EQ(s.compute + s.copies + s.allocation + s.launch + s.idle, 1);
}

TEST(Split, TracingIsTakenOutOfEverythingButDeviceTime) {
  const auto sum = [](const Split& s) {
    return s.compute + s.copies + s.allocation + s.launch + s.idle;
  };
  const Split traced{.compute = 0.4, .copies = 0.1, .allocation = 0.1, .launch = 0.3, .idle = 0.1};
  const Split s = without_tracing(traced, 10, 8);  // 4 s compute and 1 s copies of 8 s
  EXPECT_DOUBLE_EQ(s.compute, 0.5);
  EXPECT_DOUBLE_EQ(s.copies, 0.125);
  EXPECT_DOUBLE_EQ(s.launch, 0.225);
  EXPECT_DOUBLE_EQ(sum(s), 1);
  const Split full = without_tracing(traced, 10, 4);  // more device time than wall time: all of it
  EXPECT_DOUBLE_EQ(full.compute, 0.8);
  EXPECT_DOUBLE_EQ(full.idle, 0);
  EXPECT_DOUBLE_EQ(sum(full), 1);
  EXPECT_DOUBLE_EQ(without_tracing({.idle = 1}, 10, 8).idle, 1);
}

TEST(Split, RecordsOutsideThePassAreCutOff) {
  Trace t;
  t.wall = 2;
  t.intervals = {{-1, 1, Activity::compute, "k", 0},
                 {1.5, 9, Activity::copy, "c", 0},
                 {3, 4, Activity::compute, "k", 0}};
  const Split s = split(t);
  EXPECT_DOUBLE_EQ(s.compute, 0.5);
  EXPECT_DOUBLE_EQ(s.copies, 0.25);
  EXPECT_DOUBLE_EQ(s.idle, 0.25);
}

TEST(Split, NothingRecordedIsAllIdle) {
  Trace t;
  t.wall = 1;
  EXPECT_DOUBLE_EQ(split(t).idle, 1);
  EXPECT_DOUBLE_EQ(split(Trace{}).compute, 0);
}

}  // namespace
}  // namespace wb
