// What every strategy holds to, whatever a search comes upon.
#include "../proposer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/failure.h"

namespace {

using namespace tune;

Space space_of(int size) {
  Space space;
  if (size == 31) {
    space.add("A", {1, 2, 4, 8}, 1).add("B", {1, 2, 3}, 1).add("C", {0, 1, 2}, 0);
    space.require("a corner",  // of 36, five
                  [](const Values& v) { return v["A"] != 8 || 3 * v["B"] + v["C"] < 7; });
  } else {
    std::vector<int> values;
    for (int i = 0; i < size; ++i) values.push_back(i);
    space.add("A", values, 0);
  }
  return space;
}

// Distinct for each; a valley with noise.
double seconds_of(const Configuration& c) {
  double x = 1;
  for (std::size_t i = 0; i < c.size(); ++i) x += (1 + 0.1 * double(i)) * std::abs(c[i] - 1.3);
  return 1e-6 * x;
}

enum class World { fine, failing, mixed };

Record judge(const Configuration& c, int generation, World world) {
  int sum = 0;
  for (const int place : c) sum += place;
  const bool fails = world == World::failing || (world == World::mixed && sum % 3 == 0);
  constexpr Status wrong[] = {Status::compile_failed, Status::incorrect, Status::spills,
                              Status::timeout};
  return {.configuration = c,
          .status = fails ? wrong[sum % 4] : Status::ok,
          .seconds = fails ? 0 : seconds_of(c),
          .generation = generation};
}

class Strategy : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { unsetenv("WB_LLM_URL"); }
  static Setting setting(const Space& space, std::uint64_t seed) {
    return {.space = &space, .seed = seed, .predict = seconds_of};
  }
  // To the end, with what has to hold on the way.
  static History search(const Space& space, std::uint64_t seed, World world) {
    const auto proposer = make_proposer(GetParam(), setting(space, seed));
    History history;
    std::set<Configuration> tried;
    for (int generation = 1;; ++generation) {
      const auto next = proposer.next(history);
      if (next.empty()) break;
      for (const Configuration& c : next) {
        EXPECT_EQ(space.why_illegal(c), "");
        EXPECT_TRUE(tried.insert(c).second) << space.words(c) << " again";
        history.push_back(judge(c, generation, world));
      }
    }
    return history;
  }
};

TEST_P(Strategy, TriesAllOfASmallSpaceAndEnds) {
  for (const int size : {1, 2, 31}) {
    const Space space = space_of(size);
    ASSERT_EQ(space.all().size(), std::size_t(size));
    for (const World world : {World::fine, World::failing, World::mixed})
      for (std::uint64_t seed = 0; seed < 3; ++seed)
        EXPECT_EQ(search(space, seed, world).size(), std::size_t(size));
  }
}

TEST_P(Strategy, GoesOnAsItWouldHaveGoneOn) {
  const Space space = space_of(31);
  for (const World world : {World::fine, World::mixed}) {
    const auto whole = make_proposer(GetParam(), setting(space, 5));
    History history;
    for (int generation = 1;; ++generation) {
      const auto next = whole.next(history);
      EXPECT_EQ(next, make_proposer(GetParam(), setting(space, 5)).next(history));
      EXPECT_EQ(next, whole.next(history)) << "asking changes nothing";
      if (next.empty()) break;
      for (const Configuration& c : next) history.push_back(judge(c, generation, world));
    }
  }
}

// A search that is broken off in the middle of a generation, or that another strategy began.
TEST_P(Strategy, TakesAnyHistory) {
  const Space space = space_of(31);
  History history;
  for (const Configuration& c : space.all())
    if (history.size() < 9) history.push_back(judge(c, 0, World::mixed));
  for (std::size_t known = 0; known <= history.size(); ++known) {
    const History some(history.begin(), history.begin() + long(known));
    const auto next = make_proposer(GetParam(), setting(space, 2)).next(some);
    EXPECT_FALSE(next.empty());
    for (const Configuration& c : next)
      for (const Record& r : some) EXPECT_NE(c, r.configuration);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Strategy, testing::ValuesIn(strategies()),
                         [](const auto& p) { return p.param; });

TEST(Strategies, OtherNamesAreRefusedWithTheseNames) {
  const Space space = space_of(2);
  try {
    make_proposer("guess", {.space = &space});
    ADD_FAILURE();
  } catch (const wb::Failure& e) {
    EXPECT_EQ(e.code, 2);
    EXPECT_STREQ(e.what(),
                 "no strategy 'guess': take exhaustive, random, hill, annealing, evolutionary, "
                 "model, llm");
  }
}

TEST(Strategies, ModelNeedsAModel) {
  const Space space = space_of(2);
  for (const Setting& setting :
       {Setting{.space = &space},
        Setting{.space = &space, .predict = [](const Configuration&) { return 0.; }}})
    try {
      make_proposer("model", setting);
      ADD_FAILURE();
    } catch (const wb::Failure& e) {
      EXPECT_EQ(e.code, 2);
      EXPECT_NE(std::string(e.what()).find("no model"), std::string::npos);
    }
}

TEST(Strategies, TheSeedDecidesWhereTheyBegin) {
  const Space space = space_of(31);
  for (const std::string& name : strategies()) {
    const auto first = [&](std::uint64_t seed) {
      return make_proposer(name, {.space = &space, .seed = seed, .predict = seconds_of}).next({});
    };
    if (name == "exhaustive")
      EXPECT_EQ(first(1), first(2));
    else
      EXPECT_NE(first(1), first(2)) << name;
  }
}

}  // namespace
