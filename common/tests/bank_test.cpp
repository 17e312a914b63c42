// Every deliberately wrong variant must be caught, and every right one must pass, at every size.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "bank/judge.h"
#include "device/backends.h"
#include "has.h"
#include "on_gpu.h"

namespace wb {
namespace {

Variant variant(const std::string& name, const std::string& backend = "cpu") {
  for (const Variant& v : bank(backend, ""))
    if (v.name == name) return v;
  throw std::out_of_range(name);
}

TEST(Bank, EveryWrongCpuVariantIsCaught) { catch_all(*make_cpu_backend(), 70); }
TEST(Bank, NoRightCpuVariantIsCalledWrong) { pass_all(*make_cpu_backend(), 4); }

#ifdef WB_WITH_CUDA
using BankCuda = OnGpu;
TEST_F(BankCuda, EveryWrongVariantIsCaught) { catch_all(*backend_, 70); }
TEST_F(BankCuda, NoRightVariantIsCalledWrong) { pass_all(*backend_, 4); }
#endif

// Under the address sanitizer the fault ends in its report, and an exit code.
bool by_fault(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0;
}

class BankDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BankDeathTest, WhoTouchesAClosedPageEndsAndIsTold) {
  const auto backend = make_cpu_backend();
  const std::map<std::string, std::string> told = {
      {"writes_far_behind",
       "touched memory [0-9]+ bytes behind the end of [a-z]+, or far outside of another array"},
      {"writes_far_before",
       "touched memory [0-9]+ bytes before the begin of [a-z]+, or far outside of another array"},
      {"writes_behind_and_restores",
       "touched memory [0-9]+ bytes behind the end of [a-z]+ or its guard band"}};
  const auto fatal = bank("cpu", "fatal");
  EXPECT_EQ(fatal.size(), told.size());
  for (const Variant& v : fatal)
    for (const Case& c : v.problem->test) {
      SCOPED_TRACE(v.name + " " + label(c));
      EXPECT_EXIT(judge(v, c, *backend, 0, 0, {.tight = v.note == "fatal_if_tight"}), by_fault,
                  told.at(v.name));
    }
}

TEST_F(BankDeathTest, InFrontOfSuchAnArrayTheFirstByteIsClosed) {
  const auto backend = make_cpu_backend();
  const ArraySetup front = {.tight = true, .front = true};
  EXPECT_EXIT(judge(variant("underrun"), {{"n", 65}}, *backend, 0, 0, front), by_fault,
              "touched memory [0-9] bytes before the begin of [a-z]+ or its guard band");
  EXPECT_EQ(judge(variant("right"), {{"n", 65}}, *backend, 1, 0.01, front), "");
}

TEST_F(BankDeathTest, BehindATightArrayTheFirstByteIsClosed) {
  const auto backend = make_cpu_backend();
  EXPECT_EXIT(judge(variant("overrun"), {{"n", 64}}, *backend, 0, 0, {.tight = true}), by_fault,
              "touched memory 0 bytes behind the end of [a-z]+ or its guard band");
  EXPECT_EQ(judge(variant("right"), {{"n", 64}}, *backend, 1, 0.01, {.tight = true}), "");
}

#ifdef WB_WITH_CUDA
// Each in a process of its own, for its device is lost.
TEST_F(BankDeathTest, AKernelThatTouchesAClosedPageLosesItsDevice) {
  try {
    make_cuda_backend();
  } catch (const std::exception& e) {
    if (std::getenv("WB_REQUIRE_GPU")) FAIL() << e.what();
    GTEST_SKIP() << e.what();
  }
  const auto end = [](const Variant& v, const ArraySetup& options) {
    const auto backend = make_cuda_backend();
    try {
      std::fputs(judge(v, {{"n", 4097}}, *backend, 0, 0, options).c_str(), stderr);
    } catch (const std::exception& e) {
      std::fputs(e.what(), stderr);
    }
    std::_Exit(backend->lost() ? 7 : 0);
  };
  auto fatal = bank("cuda", "fatal");
  EXPECT_EQ(fatal.size(), 3u);
  for (const Variant& v : fatal)
    EXPECT_EXIT(end(v, {.tight = v.note == "fatal_if_tight"}), testing::ExitedWithCode(7),
                "cudaErrorIllegalAddress")
        << v.name;
}
#endif

TEST(Bank, AnOverrunIsNotBlamedOnTheNextVariant) {
  const auto backend = make_cpu_backend();
  const Variant wrong = variant("overrun_by_loop"), right = variant("right");
  Data data(*right.problem, {{"n", 100}}, *backend, 7);
  EXPECT_NE(Trial(wrong, data, *backend).verify(), "");
  EXPECT_EQ(Trial(right, data, *backend).verify(), "");
}

TEST(Bank, MessagesSayWhatIsWrong) {
  const auto backend = make_cpu_backend();
  const std::map<std::string, std::string> expected = {
      {"no_write", "y: 4097 of 4097 wrong (all), first y[0]"},
      {"dropped_tail", "first y[4096]"},
      {"overrun", "z was written outside its bounds, behind its end"},
      {"underrun", "z was written outside its bounds, before its begin"},
      {"changes_input", "the input x was changed, first at x[4096]"},
      {"off_by_1e3", "z: 1 of 4097 wrong, first z[2048]"},
      {"nan", "z[2048] = nan"},
      {"leaves_a_thread_spinning", "1 of its threads still ran after it had returned"},
  };
  for (const auto& [name, text] : expected) {
    const std::string problem = judge(variant(name), {{"n", 4097}}, *backend);
    EXPECT_TRUE(has(problem, text)) << name;
  }
}

}  // namespace
}  // namespace wb
