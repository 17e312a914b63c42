// Every deliberately wrong sum or largest number must be caught, and every right one must pass.
#include <gtest/gtest.h>

#include "bank/judge.h"
#include "device/backends.h"
#include "on_gpu.h"

namespace wb {
namespace {

TEST(SumBank, EveryWrongCpuVariantIsCaught) { catch_all(*make_cpu_backend(), 13); }
TEST(SumBank, NoRightCpuVariantIsCalledWrong) { pass_all(*make_cpu_backend(), 4); }

// With 3 and 7 threads: a lesson's tests try these on every machine.
TEST(SumBank, CountingOnTheCoresOfOneMachineIsCaught) {
  const auto backend = make_cpu_backend();
  const Variant wrong = bank("cpu", "threads").at(0);
  Data data(*wrong.problem, wrong.problem->bench[0], *backend, kSeed);
  for (const int threads : {1, 2, 3, 7}) {
    this_process().threads = threads;
    EXPECT_EQ(Trial(wrong, data, *backend).verify().empty(), threads <= 2) << threads;
  }
  this_process().threads = 0;
}

#ifdef WB_WITH_CUDA
using SumBankCuda = OnGpu;
TEST_F(SumBankCuda, EveryWrongVariantIsCaught) { catch_all(*backend_, 13); }
TEST_F(SumBankCuda, NoRightVariantIsCalledWrong) { pass_all(*backend_, 4); }
#endif

}  // namespace
}  // namespace wb
