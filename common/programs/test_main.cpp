// main() for GoogleTest programs. With variants linked in, makes one test of each variant, backend
// and test shape: "ch1_basics/08_coalescing/transpose.optimized/cuda/m=31,n=33".
//
// Variants of lessons that time the wall clock, with their threads and streams, are verified once
// more while their timing is disturbed.
//
// Without a GPU, CUDA tests are skipped with the reason; under WB_REQUIRE_GPU=1 they fail. A run
// that selects no test fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/clock.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "measure/trial.h"
#include "programs/threads.h"

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
  VariantTest(const Variant& variant, const Case& c) : variant_(variant), case_(c) {}

  void TestBody() override {
    const auto& [backend, why] = backend_of(variant_.backend);
    if (!backend) {
      const char* required = std::getenv("WB_REQUIRE_GPU");
      if (required && std::string(required) == "1") FAIL() << why;
      GTEST_SKIP() << why;
    }
    try {
      Data data(*variant_.problem, case_, *backend, /*seed=*/20260301);
      Trial trial(variant_, data, *backend);
      EXPECT_EQ(trial.verify(), "");
      std::string after_timing;
      trial.sample({.cache = Cache::cold, .budget = 1e-3, .at_most = 5}, after_timing, true);
      EXPECT_EQ(after_timing, "") << "on the data of a timed run";
      if (variant_.problem->clock == Clock::wall) {
        EXPECT_EQ(trial.verify_disturbed(), "");
      }
    } catch (const Unsupported& e) {
      GTEST_SKIP() << e.what();
    }
  }

 private:
  Variant variant_;
  Case case_;
};

}  // namespace

int main(int argc, char** argv) {
  let_threads_spin_briefly(argv);
  explain_faults();
  testing::InitGoogleTest(&argc, argv);
  for (const Variant& variant : linked_variants()) {
    if (variant.problem->lesson == "bank")
      continue;  // wrong on purpose; bank_test has its own cases
    for (const Case& c : variant.problem->test) {
      const std::string test = variant.name + "/" + variant.backend + "/" + label(c);
      testing::RegisterTest(variant.problem->lesson.c_str(), test.c_str(), nullptr, nullptr,
                            __FILE__, __LINE__,
                            [=]() -> testing::Test* { return new VariantTest(variant, c); });
    }
  }
  const int result = RUN_ALL_TESTS();
  const bool listing = GTEST_FLAG_GET(list_tests);
  if (!listing && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fprintf(stderr, "no test was selected: see --gtest_list_tests\n");
    return 1;
  }
  return result;
}
