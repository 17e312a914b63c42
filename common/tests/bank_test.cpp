// Every deliberately wrong variant must be caught, and the right one must pass, at every size.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "device/backends.h"
#include "measure/trial.h"

namespace wb {
namespace {

// What a variant's checks say, as a lesson program runs them: verification, then a timed sample.
std::string judge(const Variant& variant, const Case& c, Backend& backend) {
  Data data(*variant.problem, c, backend, 7);
  Trial trial(variant, data, backend);
  std::string error = trial.verify();
  for (int i = 0; i < 3 && error.empty(); ++i)
    trial.sample({.budget = 2e-3, .at_most = 64}, error, /*whole=*/i == 2);
  return error;
}

void judge_all(const std::string& kind, Backend& backend, int at_least) {
  int wrong = 0;
  for (const Variant& variant : linked_variants()) {
    if (variant.backend != kind) continue;
    wrong += variant.name != "right";
    for (const Case& c : variant.problem->test) {
      SCOPED_TRACE(variant.name + " " + label(c));
      if (variant.name == "right")
        EXPECT_EQ(judge(variant, c, backend), "");
      else
        EXPECT_NE(judge(variant, c, backend), "") << "this wrong variant was not caught";
    }
  }
  EXPECT_GE(wrong, at_least) << "the bank must hold at least that many wrong variants";
}

TEST(Bank, EveryWrongCpuVariantIsCaught) { judge_all("cpu", *make_cpu_backend(), 12); }

#ifdef WB_WITH_CUDA
TEST(Bank, EveryWrongCudaVariantIsCaught) {
  std::unique_ptr<Backend> backend;
  try {
    backend = make_cuda_backend();
  } catch (const std::exception& e) {
    if (std::getenv("WB_REQUIRE_GPU")) FAIL() << e.what();
    GTEST_SKIP() << e.what();
  }
  judge_all("cuda", *backend, 12);
}
#endif

TEST(Bank, AnOverrunIsNotBlamedOnTheNextVariant) {
  const auto backend = make_cpu_backend();
  const auto find = [](const std::string& name) {
    return *std::find_if(linked_variants().begin(), linked_variants().end(),
                         [&](const Variant& v) { return v.backend == "cpu" && v.name == name; });
  };
  const Variant wrong = find("overrun_by_loop"), right = find("right");
  Data data(*right.problem, {{"n", 100}}, *backend, 7);
  EXPECT_NE(Trial(wrong, data, *backend).verify(), "");
  EXPECT_EQ(Trial(right, data, *backend).verify(), "");
}

TEST(Bank, MessagesSayWhatIsWrong) {
  const auto backend = make_cpu_backend();
  const std::map<std::string, std::string> expected = {
      {"no_write", "y: 4097 of 4097 wrong, first y[0]"},
      {"dropped_tail", "first y[4096]"},
      {"overrun", "z was written outside its bounds, behind its end"},
      {"underrun", "z was written outside its bounds, before its begin"},
      {"changes_input", "the input x was changed, first at x[4096]"},
      {"off_by_1e3", "z: 1 of 4097 wrong, first z[2048]"},
      {"nan", "z[2048] = nan"},
  };
  for (const Variant& variant : linked_variants()) {
    if (variant.backend != "cpu" || !expected.contains(variant.name)) continue;
    const std::string problem = judge(variant, {{"n", 4097}}, *backend);
    EXPECT_NE(problem.find(expected.at(variant.name)), std::string::npos)
        << variant.name << ": " << problem;
  }
}

}  // namespace
}  // namespace wb
