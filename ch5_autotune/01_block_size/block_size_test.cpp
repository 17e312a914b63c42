// Tests of ch5_autotune/01_block_size: which configurations are legal at each case, and what the
// model predicts for them.
#include "block_size.h"

#include <gtest/gtest.h>

#include "space_cpu.h"
#include "space_cuda.h"

namespace {

constexpr tune::Limits kGpu = {.multiprocessors = 132,
                               .shared_bytes = 227 << 10,
                               .shared_bytes_all = 228 << 10,
                               .registers = 65536,
                               .threads = 2048,
                               .compute = 90,
                               .bandwidth = 4.4e12};
constexpr tune::Limits kCpu = {.cores = 6, .vector_bytes = 32, .bandwidth = 40e9};

template <class Space> void expect_defaults(Space space, const tune::Limits& limits) {
  for (const wb::Case& c : BlockSize::bench) {
    const tune::Space s = space(c, limits);
    EXPECT_EQ(s.why_illegal(s.fallback()), "") << wb::label(c);
    EXPECT_GE(s.all().size(), 30u) << wb::label(c);
    EXPECT_LE(s.all().size(), 2000u) << wb::label(c);
    for (const tune::Parameter& p : s.parameters()) EXPECT_NE(p.meaning, "") << p.name;
  }
}

TEST(BlockSizeSpace, DefaultIsLegalAtEachCaseAndEachParameterExplained) {
  expect_defaults(gpu::space, kGpu);
  expect_defaults(cpu::space, kCpu);
}

// A candidate that was made for one case is checked at others of the same operation: all of them
// have the same parameters and values.
TEST(BlockSizeSpace, OfAnOperationHasTheSameValuesAtEachCase) {
  for (const wb::Case& a : BlockSize::bench)
    for (const wb::Case& b : BlockSize::test)
      EXPECT_EQ(gpu::space(a, kGpu).identity() == gpu::space(b, kGpu).identity(),
                std::string_view(a.word("op")) == b.word("op"))
          << wb::label(a) << " and " << wb::label(b);
}

std::string why(const wb::Case& c, const std::string& words, const tune::Limits& limits = kGpu) {
  const tune::Space s = gpu::space(c, limits);
  return s.why_illegal(s.parse(words));
}

TEST(BlockSizeSpace, SaysWhatIsIllegal) {
  const wb::Case of_49 = sums("rows", 1000, 49), of_1000 = sums("rows", 1000, 1000);
  const std::string whole = "BLOCK=256 WIDTH=1 LOADS=1 TEAM=256 ROWS=1 STAGE=0";
  EXPECT_EQ(why(of_1000, whole), "");
  EXPECT_EQ(why(of_49, whole), "half of a block has nothing to load");
  EXPECT_EQ(why(of_1000, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=128 ROWS=1 STAGE=0"),
            "a team is a part of a warp, or the block");
  EXPECT_EQ(why(of_49, "BLOCK=256 WIDTH=2 LOADS=1 TEAM=8 ROWS=1 STAGE=0"),
            "rows do not begin at multiples of such loads");
  EXPECT_EQ(why(of_49, "BLOCK=256 WIDTH=1 LOADS=8 TEAM=32 ROWS=1 STAGE=0"),
            "half of the loads have nothing to load");
  EXPECT_EQ(why(of_1000, "BLOCK=256 WIDTH=4 LOADS=8 TEAM=8 ROWS=4 STAGE=0"),
            "more registers than there are");
  const std::string staged = "BLOCK=256 WIDTH=1 LOADS=1 TEAM=1 ROWS=1 STAGE=1";
  EXPECT_EQ(why(of_49, staged), "");
  EXPECT_EQ(why(of_1000, staged), "a block's rows are more than shared memory has");
  tune::Limits small = kGpu;
  small.shared_bytes = 48 << 10;
  EXPECT_EQ(why(of_49, staged, small), "a block's rows are more than shared memory has");
  EXPECT_EQ(why(of_49, "BLOCK=64 WIDTH=1 LOADS=1 TEAM=32 ROWS=1 STAGE=1"),
            "a block's rows have no multiple of 16 bytes");
  EXPECT_EQ(why(sums("rows", 1000, 48), "BLOCK=256 WIDTH=4 LOADS=1 TEAM=1 ROWS=1 STAGE=1"),
            "rows in shared memory are read one float at a time");
  EXPECT_EQ(why(sums("columns", 8, 1000), "BLOCK=256 WIDTH=1 LOADS=8 LINES=2 SPLIT=1"),
            "there are fewer rows");
  EXPECT_EQ(why(sums("columns", 800, 1000), "BLOCK=64 WIDTH=1 LOADS=1 LINES=4 SPLIT=1"),
            "a block has a warp side by side");
}

double predicted(const wb::Case& c, const std::string& words) {
  const tune::Space s = gpu::space(c, kGpu);
  const tune::Configuration configuration = s.parse(words);
  return gpu::predict({s, configuration}, c, kGpu);
}

// What was seen on an H200: the model has to tell these apart.
TEST(BlockSizeModel, KnowsWhatHoldsARowUp) {
  const wb::Case of_49 = sums("rows", 4 << 20, 49), of_7 = sums("rows", 10'000'000, 7);
  const double roof = 4.0 * (4 << 20) * 50 / kGpu.bandwidth;
  const double staged = predicted(of_49, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=4 ROWS=1 STAGE=1");
  const double a_warp = predicted(of_49, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=32 ROWS=1 STAGE=0");
  const double a_thread = predicted(of_49, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=1 ROWS=1 STAGE=0");
  EXPECT_GE(staged, roof);
  EXPECT_LT(staged, 1.2 * roof);
  EXPECT_GT(a_warp, 1.5 * staged) << "32 lanes for 49 elements, one load each";
  EXPECT_GT(a_thread, 1.5 * staged) << "each load of a warp touches 32 lines";
  EXPECT_GT(predicted(of_7, "BLOCK=256 WIDTH=1 LOADS=1 TEAM=32 ROWS=1 STAGE=0"),
            2 * predicted(of_7, "BLOCK=256 WIDTH=1 LOADS=4 TEAM=1 ROWS=2 STAGE=0"));
}

TEST(BlockSizeModel, IsPositiveForAllThatIsLegal) {
  for (const wb::Case& c : BlockSize::bench) {
    const tune::Space on_gpu = gpu::space(c, kGpu), on_cpu = cpu::space(c, kCpu);
    for (const tune::Configuration& x : on_gpu.all())
      ASSERT_GT(gpu::predict({on_gpu, x}, c, kGpu), 0) << on_gpu.words(x);
    for (const tune::Configuration& x : on_cpu.all())
      ASSERT_GT(cpu::predict({on_cpu, x}, c, kCpu), 0) << on_cpu.words(x);
  }
}

}  // namespace
