// main() for GoogleTest programs. With variants linked in, makes one test of each variant, backend
// and test shape: "ch1_basics/03_transpose.optimized/cuda/m=31,n=33".
//
// Each variant also meets a few cases that nobody listed, drawn from a seed that is printed, on
// arrays with closed pages right behind them. WB_SEED=N repeats them.
//
// Variants of lessons that time the wall clock, with their threads and streams, are verified once
// more while their timing is disturbed.
//
// An exercise is alone in its program but for variants of the lesson: it is tested on their
// problem, sizes and tolerance, not on its own.
//
// A program with tests of its own for a lesson's variants defines wb_own_tests: none are made here.
//
// Without a GPU, CUDA tests are skipped with the reason; under WB_REQUIRE_GPU=1 they fail. A run
// that selects no test fails.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>

#include "base/clock.h"
#include "base/failure.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "measure/random_cases.h"
#include "measure/trial.h"
#include "programs/threads.h"

extern "C" __attribute__((weak)) const char wb_own_tests;

namespace {

using namespace wb;

// The backend, or null and why.
auto& backend_of(const std::string& name) {
  static std::map<std::string, std::pair<std::unique_ptr<Backend>, std::string>> backends;
  const auto [found, is_new] = backends.try_emplace(name);
  if (is_new) try {
      found->second.first = open_backend(name);
    } catch (const std::exception& e) {
      found->second.second = e.what();
    }
  return found->second;
}

class VariantTest : public testing::Test {
 public:
  VariantTest(const Variant& variant, const Case& c, std::uint64_t seed, bool random)
      : variant_(variant), case_(c), seed_(seed), random_(random) {}

  void TestBody() override {
    const auto& [backend, why] = backend_of(variant_.backend);
    if (!backend) {
      const char* required = std::getenv("WB_REQUIRE_GPU");
      if (required && std::string(required) == "1") FAIL() << why;
      GTEST_SKIP() << why;
    }
    SCOPED_TRACE(label(case_) + ", WB_SEED=" + std::to_string(seed_));
    try {
      Data data(*variant_.problem, case_, *backend, seed_, {.tight = random_});
      Trial trial(variant_, data, *backend);
      EXPECT_EQ(trial.verify(), "");
      std::string after_timing;
      trial.sample({.cache = Cache::cold, .budget = 1e-3, .at_most = 5}, after_timing, true);
      EXPECT_EQ(after_timing, "") << "on the data of a timed run";
      if (variant_.problem->clock == Clock::wall && !random_) {
        EXPECT_EQ(trial.verify_disturbed(), "");
      }
    } catch (const Unsupported& e) {
      GTEST_SKIP() << e.what();
    }
  }

 private:
  Variant variant_;
  Case case_;
  std::uint64_t seed_;
  bool random_;
};

void add_tests(const Variant& variant, std::uint64_t seed) {
  const auto add = [&](const std::string& name, const Case& c, bool random) {
    const std::string test = variant.name + "/" + variant.backend + "/" + name;
    testing::RegisterTest(
        variant.problem->lesson.c_str(), test.c_str(), nullptr, nullptr, __FILE__, __LINE__,
        [=]() -> testing::Test* { return new VariantTest(variant, c, seed, random); });
  };
  for (const Case& c : variant.problem->test) add(label(c), c, false);
  const std::uint64_t own = seed + std::hash<std::string>{}(variant.name);
  int number = 0;
  for (const Case& c : random_cases(*variant.problem, 4, own))
    add("random_" + std::to_string(++number), c, true);
}

// Those to be tested. Throws Failure when an exercise has a problem of its own.
Registry chosen(const Registry& all) {
  const auto is_exercise = [](const Variant& v) { return v.name == "exercise"; };
  if (std::none_of(all.begin(), all.end(), is_exercise) ||
      std::all_of(all.begin(), all.end(), is_exercise))
    return all;
  Registry exercises;
  for (const Variant& v : all) {
    if (!is_exercise(v)) continue;
    const auto own = std::find_if(all.begin(), all.end(), [&](const Variant& other) {
      return !is_exercise(other) && other.problem->type == v.problem->type;
    });
    if (own == all.end()) throw Failure(4, "the exercise's problem is not one of the lesson's");
    exercises.push_back(v);
    exercises.back().problem = own->problem;
  }
  return exercises;
}

}  // namespace

int main(int argc, char** argv) {
  // Started by the driver, through CTest: nothing goes on running when one of them is killed.
  if (std::getenv("WB_PROGRESS")) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  let_threads_spin_briefly(argv);
  explain_faults();
  testing::InitGoogleTest(&argc, argv);
  const char* given = std::getenv("WB_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  try {
    if (!&wb_own_tests)
      for (const Variant& variant : chosen(linked_variants()))
        if (variant.problem->lesson != "bank")  // wrong on purpose; bank_test has its own cases
          add_tests(variant, seed);
  } catch (const Failure& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return why.code;
  }
  if (!linked_variants().empty())
    std::printf("WB_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const int result = RUN_ALL_TESTS();
  const bool listing = GTEST_FLAG_GET(list_tests);
  if (!listing && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fprintf(stderr, "no test was selected: see --gtest_list_tests\n");
    return 1;
  }
  return result;
}
