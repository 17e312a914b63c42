// The lesson's statements on checks hold: 1e-2 lets zeros pass, and the derived tolerance does
// not; a fused kernel fails against the unfused one in bf16, though it is the better of the two.
#include <gtest/gtest.h>

#include "bank/judge.h"
#include "device/backends.h"
#include "numerics.h"
#include "on_gpu.h"

namespace wb {
namespace {

void expect_misled(Backend& backend) {
  const auto misled = bank(backend.name(), "misled");
  ASSERT_EQ(misled.size(), 1u);
  for (const Variant& v : misled)
    for (const Case& c : v.problem->test) {
      Data data(*v.problem, c, backend, kSeed);
      EXPECT_EQ(Trial(v, data, backend).verify(), "") << v.name;
    }
}

TEST(Checks, WhatIsWrongIsCaughtByTheRightCheck) { catch_all(*make_cpu_backend(), 3); }
TEST(Checks, WhatIsRightPasses) { pass_all(*make_cpu_backend(), 3); }
TEST(Checks, ALooseToleranceLetsZerosPass) { expect_misled(*make_cpu_backend()); }

TEST(Bounds, NeverAllowNothingAndGrowWithK) {
  for (const double u : {0x1p-8, 0x1p-11, 0x1p-23, 0x1p-24}) {
    double before = 0;
    for (double k = 1; k < 0x1p40; k *= 1.7) {
      EXPECT_GE(additions(u, k), before);
      EXPECT_LT(additions(u, k), 1);
      before = additions(u, k);
    }
  }
}

#ifdef WB_WITH_CUDA
using ChecksCuda = OnGpu;
TEST_F(ChecksCuda, WhatIsWrongIsCaughtByTheRightCheck) { catch_all(*backend_, 3); }
TEST_F(ChecksCuda, WhatIsRightPasses) { pass_all(*backend_, 3); }
TEST_F(ChecksCuda, ALooseToleranceLetsZerosPass) { expect_misled(*backend_); }
#endif

}  // namespace
}  // namespace wb
