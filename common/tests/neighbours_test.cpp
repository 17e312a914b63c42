// What counts as a core that somebody else uses.
#include "measure/neighbours.h"

#include <gtest/gtest.h>

namespace wb {
namespace {

// Whether the last of these probes was slow.
bool last_is_slowed(const std::vector<double>& probes) {
  std::size_t i = 0;
  Neighbours host({[&] { return probes[i++]; }, {}});
  bool slowed = false;
  while (i < probes.size()) slowed = host.slowed();
  return slowed;
}

TEST(Neighbours, SlowIsAgainstTheBestThatWasSeen) {
  EXPECT_FALSE(last_is_slowed({20e-6}));
  EXPECT_FALSE(last_is_slowed({20e-6, 22e-6}));
  EXPECT_TRUE(last_is_slowed({20e-6, 26e-6}));
  EXPECT_TRUE(last_is_slowed({20e-6, 26e-6, 26e-6, 26e-6}));
  EXPECT_FALSE(last_is_slowed({20e-6, 26e-6, 21e-6}));
  EXPECT_FALSE(last_is_slowed({26e-6, 26e-6, 20e-6}));  // nobody knew better before
}

TEST(Neighbours, AClockThatWasFasterForAMomentDoesNotCount) {
  std::vector<double> probes(100, 20e-6);
  probes[10] = 12e-6;
  EXPECT_FALSE(last_is_slowed(probes));
  probes.push_back(26e-6);
  EXPECT_TRUE(last_is_slowed(probes));
}

TEST(Neighbours, BothEndsOfAMeasurementCount) {
  std::vector<double> probes;
  Neighbours host({[&] {
                     const double next = probes.front();
                     probes.erase(probes.begin());
                     return next;
                   },
                   {}});
  const auto quiet = [&](double before, double after) {
    probes = {before, after};
    host.begin(0);
    host.check();
    return host.quiet();
  };
  EXPECT_TRUE(quiet(20e-6, 20e-6));
  EXPECT_FALSE(quiet(20e-6, 30e-6));
  EXPECT_FALSE(quiet(30e-6, 20e-6));
  EXPECT_TRUE(quiet(20e-6, 20e-6));
}

TEST(Neighbours, TheProbeDoesWorkThatTakesTime) {
  const double seconds = Neighbours::core_seconds();
  EXPECT_GT(seconds, 1e-6);  // or the compiler saw through it
  EXPECT_LT(seconds, 1e-1);
}

TEST(Neighbours, WithoutAProbeTheCoreIsFree) {
  Neighbours host({});
  host.begin(0);
  host.check();
  EXPECT_TRUE(host.quiet());
}

}  // namespace
}  // namespace wb
