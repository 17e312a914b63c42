// Every deliberately wrong sum or largest number must be caught, and every right one must pass.
#include <gtest/gtest.h>

#include "bank/judge.h"
#include "device/backends.h"
#include "on_gpu.h"

namespace wb {
namespace {

TEST(SumBank, EveryWrongCpuVariantIsCaught) { catch_all(*make_cpu_backend(), 13); }
TEST(SumBank, NoRightCpuVariantIsCalledWrong) { pass_all(*make_cpu_backend(), 4); }

#ifdef WB_WITH_CUDA
using SumBankCuda = OnGpu;
TEST_F(SumBankCuda, EveryWrongVariantIsCaught) { catch_all(*backend_, 13); }
TEST_F(SumBankCuda, NoRightVariantIsCalledWrong) { pass_all(*backend_, 4); }
#endif

}  // namespace
}  // namespace wb
