// Of ch3_reductions/09_layernorm_backward: who takes a row, and what its own tests don't show: the
// same bits on every run, also beside other work, on any number of cores, and on two streams at a
// time.
#include "../norms/tests.h"
#include "layernorm_backward.h"

namespace wb {
namespace {

Plan backward(i64 rows, i64 columns, int bytes = 4, bool even = true, Machine m = kH200) {
  const bool words = columns * bytes % 4 == 0;
  return plan_norm({true, false, bytes, rows, columns, even, false, words}, m);
}

TEST(GradientPlan, KeepsColumnsInABlock) {
  EXPECT_EQ(backward(8192, 8192).threads, 1024);
  EXPECT_EQ(backward(8192, 8192, 2).loads, 1);
  EXPECT_EQ(backward(64 << 10, 1024).per_processor, 8);
  EXPECT_EQ(backward(8192, 8193, 4, false).way, Way::stages);
  EXPECT_EQ(backward(90'000, 129, 4, false).text(),
            "8 rows per block, a warp for each, the next ones on their way, 8 loads per thread, "
            "loads of 1: blocks "
            "keep their columns' sums in registers, row after row");
  EXPECT_EQ(backward(104'061, 212, 2, false).text(),
            "8 rows per block, a warp for each, the next ones on their way, 4 loads per thread, "
            "loads of 2: blocks "
            "keep their columns' sums in registers, row after row");
  EXPECT_EQ(backward(52'740, 167, 2, false).way, Way::stages) << "no copy takes 2 bytes";
  EXPECT_EQ(backward(52'740, 167, 2, false).width, 1);
  EXPECT_EQ(backward(31, 8191, 4, false).threads, 1024);
  EXPECT_EQ(backward(31, 1, 4, false).threads, 32);
  EXPECT_EQ(backward(8192, 16 << 10).way, Way::stages);
  EXPECT_EQ(backward(170, 132'351, 4, false).text(),
            "pieces of rows, then columns of rows, loads of 1: too long for a block's registers");
  EXPECT_EQ(backward(8192, 8192, 4, true, kSmall).way, Way::stages);
}

// Long and short rows that begin anywhere, and what is so large that on a CPU dx goes past the
// caches.
constexpr Case kOwnCases[] = {view("layernorm_backward", "fp32", 700, 4099, 4107, 5),
                              matrix("layernorm_backward", "bf16", 2203, 166),
                              matrix("rmsnorm_backward", "fp16", 1031, 8190),
                              view("layernorm_backward", "fp16", 700, 130, 134, 2),
                              view("rmsnorm_backward", "bf16", 2203, 127, 129, 3),
                              view("layernorm_backward", "bf16", 33, 4099, 4100, 1),
                              view("rmsnorm_backward", "fp32", 33, 1, 3, 1),
                              view("rmsnorm_backward", "fp32", 129, 8191, 8192, 7),
                              matrix("layernorm_backward", "bf16", 5003, 31),
                              matrix("layernorm_backward", "fp32", 127, 16'411),
                              matrix("rmsnorm_backward", "bf16", 1, 65'537),
                              matrix("rmsnorm_backward", "fp32", 129, 9001)};

TEST(GradientPlan, EachWayHasATestCase) { expect_each_way<LayerNormBackward>(true, kOwnCases); }

constexpr Rows kShapes[] = {
    {false, 500, 1024}, {false, 301, 999}, {true, 3000, 129}, {false, 31, 20'001}};

TEST(Gradients, OfLargerArraysAreRight) {
  expect_right(*make_cpu_backend(), linked("cpu"), kOwnCases);
}

TEST(Gradients, HaveTheSameBitsOnAnyNumberOfCores) {
  const auto backend = make_cpu_backend();
  for (const Rows& shape : kShapes) expect_same_bits(*backend, linked("cpu"), true, shape);
}

#ifdef WB_WITH_CUDA
using GradientsCuda = OnGpu;

TEST_F(GradientsCuda, OfLargerArraysAreRight) {
  expect_right(*backend_, linked("cuda", "all_shapes"), kOwnCases);
}

TEST_F(GradientsCuda, HaveTheSameBitsOnEveryRunBesideOtherWork) {
  for (const Rows& shape : kShapes)
    expect_same_bits(*backend_, linked("cuda", "all_shapes"), true, shape);
}

TEST_F(GradientsCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  for (const auto& [rms, rows, columns] : kShapes) {
    Norms a(*backend_, rms, true, rows, columns), b(*backend_, rms, true, rows + 7, columns);
    expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b, 5);
  }
}

// Of one kernel, with more and with less shared memory: the limit that a set-up asks for is that of
// the kernel.
TEST_F(GradientsCuda, SetUpsOfOtherSizesDoNotDisturbEachOther) {
  for (const bool rms : {false, true}) {
    Norms long_rows(*backend_, rms, true, 300, 8192), short_rows(*backend_, rms, true, 500, 1024);
    expect_undisturbed(*backend_, linked("cuda", "all_shapes"), long_rows, short_rows, 5);
  }
}
#endif

}  // namespace
}  // namespace wb
