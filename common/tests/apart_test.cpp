// OpenMP's threads that share a core get one each before a launch.
#include "device/cpu/apart.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <set>

#include "device/backends.h"

namespace wb {
namespace {

cpu_set_t cores(const std::set<int>& numbers) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int core : numbers) CPU_SET(core, &all);
  return all;
}

using Cores = std::vector<int>;

TEST(Apart, MovesThreadsThatShareACore) {
  EXPECT_EQ(apart({0, 0}, cores({0, 1})), (Cores{0, 1}));
  EXPECT_EQ(apart({1, 1}, cores({0, 1})), (Cores{1, 0}));
  EXPECT_EQ(apart({2, 5, 2, 5}, cores({1, 2, 5, 7, 1023})), (Cores{2, 5, 1, 7}));
  EXPECT_EQ(apart({3, 3, 3}, cores({3, 9, 1023})), (Cores{3, 9, 1023}));
}

TEST(Apart, LeavesOtherThreadsWhereTheyAre) {
  EXPECT_EQ(apart({}, cores({0, 1})), (Cores{}));
  EXPECT_EQ(apart({1}, cores({0, 1})), (Cores{1}));
  EXPECT_EQ(apart({1, 0}, cores({0, 1})), (Cores{1, 0}));
  EXPECT_EQ(apart({4, -1, -1}, cores({4, 5})), (Cores{4, -1, -1}));
}

TEST(Apart, ThreadsShareCoresIfThereAreTooFew) {
  EXPECT_EQ(apart({0, 0, 0}, cores({0, 1})), (Cores{0, 1, 0}));
  EXPECT_EQ(apart({0, 0}, cores({0})), (Cores{0, 0}));
  EXPECT_EQ(apart({0, 0}, cores({})), (Cores{0, 0}));
  EXPECT_EQ(apart({2000, 2000}, cores({})), (Cores{2000, 2000}));  // more than a set can hold
}

// Every timed launch follows an eviction, in the process of an exercise and in that of the lesson's
// variants.
TEST(Apart, ThreadsHaveACoreEachAfterAnEviction) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one core";
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  const cpu_set_t one = cores({first});
  const auto backend = make_cpu_backend();
  std::vector<char> array(1 << 20);
  const Region region{array.data(), array.size(), Space::device};
  const int before = omp_get_max_threads();
  omp_set_num_threads(2);
  constexpr int kTimes = 50;
  int alone = 0;
  for (int i = 0; i < kTimes; ++i) {
    int on[2] = {}, kept[2] = {};
#pragma omp parallel
    ::sched_setaffinity(0, sizeof one, &one);
#pragma omp parallel
    ::sched_setaffinity(0, sizeof all, &all);
    backend->evict({&region, 1});
#pragma omp parallel
    {
      on[omp_get_thread_num()] = ::sched_getcpu();
      cpu_set_t now;
      kept[omp_get_thread_num()] =
          ::sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &all);
    }
    EXPECT_TRUE(kept[0] && kept[1]) << "a thread may not use all cores any more";
    alone += on[0] != on[1];
  }
  omp_set_num_threads(before);
  EXPECT_GT(alone, kTimes / 2)
      << "the threads shared a core";  // Linux may still move them together
}

}  // namespace
}  // namespace wb
