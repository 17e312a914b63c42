#include "../space.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using tune::Configuration;
using tune::Space;

Space small() {
  Space space;
  space.add("A", {1, 2, 4}, 2).add("B", {0, 3}, 0);
  space.require("A times B is at most 6",
                [](const tune::Values& v) { return v["A"] * v["B"] <= 6; });
  return space;
}

TEST(Space, AllAreTheLegalOnesInOrder) {
  const std::vector<Configuration> want = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}};
  EXPECT_EQ(small().all(), want);
  EXPECT_EQ(small().fallback(), (Configuration{1, 0}));
}

TEST(Space, AnIllegalOneIsRefusedWithTheReason) {
  EXPECT_EQ(small().why_illegal({2, 1}), "A times B is at most 6");
  EXPECT_EQ(small().why_illegal({3, 0}), "A has no such value");
  EXPECT_EQ(small().why_illegal({-1, 0}), "A has no such value");
  EXPECT_EQ(small().why_illegal({1}), "1 values for 2 parameters");
  EXPECT_EQ(small().why_illegal({1, 1}), "");
}

TEST(Space, WordsAndBack) {
  const Space space = small();
  for (const Configuration& c : space.all()) EXPECT_EQ(space.parse(space.words(c)), c);
  EXPECT_EQ(space.words({1, 1}), "A=2 B=3");
  EXPECT_EQ(space.parse("B=3 A=2"), (Configuration{1, 1}));
  for (const char* bad : {"", "A=2", "A=3 B=3", "A=2 B=3 C=1", "A=2 B", "A=2x B=3"})
    EXPECT_THROW(space.parse(bad), std::invalid_argument) << bad;
}

TEST(Space, NeighboursDifferInOneParameter) {
  const Space space = small();
  EXPECT_EQ(space.neighbours({1, 1}), (std::vector<Configuration>{{0, 1}, {1, 0}}));  // A=4 B=3: 12
  EXPECT_EQ(space.neighbours({0, 0}, false), (std::vector<Configuration>{{1, 0}, {2, 0}, {0, 1}}));
}

TEST(Space, MistakesOfALessonAreFoundAtOnce) {
  Space space;
  EXPECT_THROW(space.add("A", {1, 2}, 3), std::invalid_argument);
  space.add("A", {1, 2}, 1);
  EXPECT_THROW(space.add("A", {1}, 1), std::invalid_argument);
  EXPECT_THROW((tune::Values{space, {0}}["B"]), std::out_of_range);
}

TEST(Space, EmptyOnes) {
  Space none;
  none.add("A", {1, 2}, 1).require("never", [](const tune::Values&) { return false; });
  EXPECT_TRUE(none.all().empty());
}

}  // namespace
