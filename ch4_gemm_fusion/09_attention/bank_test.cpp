// Every attention with a slip must be caught, and the right one must pass.
#include <gtest/gtest.h>

#include "bank/judge.h"
#include "device/backends.h"
#include "on_gpu.h"

namespace wb {
namespace {

TEST(AttentionBank, EveryWrongCpuVariantIsCaught) { catch_all(*make_cpu_backend(), 6); }
TEST(AttentionBank, NoRightCpuVariantIsCalledWrong) { pass_all(*make_cpu_backend(), 1); }

#ifdef WB_WITH_CUDA
using AttentionBankCuda = OnGpu;
TEST_F(AttentionBankCuda, EveryWrongVariantIsCaught) { catch_all(*backend_, 6); }
TEST_F(AttentionBankCuda, NoRightVariantIsCalledWrong) { pass_all(*backend_, 1); }
#endif

}  // namespace
}  // namespace wb
