// Which configurations are legal, why the others are not, and what the models predict. The devices
// are made up here, so that every machine tests the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "../engine/build.h"
#include "base/files.h"
#include "gemm_tiles.h"
#include "space_cpu.h"
#include "space_cuda.h"

namespace {

using tiles::Shape;

const tune::Limits kH200 = {.multiprocessors = 132,
                            .shared_bytes = 232448,
                            .shared_bytes_all = 233472,
                            .registers = 65536,
                            .threads = 2048,
                            .compute = 90,
                            .l2_bytes = 60 << 20,
                            .flops = 750e12,
                            .bandwidth = 4.2e12};
tune::Limits cpu(int vector_bytes) {
  return {.cores = 2,
          .vector_bytes = vector_bytes,
          .l2_bytes = 1 << 20,
          .flops = 400e9,
          .bandwidth = 30e9};
}
const tune::Space kCuda = tiles::space_cuda(GemmTiles::bench[0], kH200);

std::string why(const tune::Space& space, const std::string& words) {
  return space.why_illegal(space.parse(words));
}

TEST(GemmTilesSpace, HasThousandsOnAnH200) {
  EXPECT_EQ(kCuda.all().size(), 3048u);
  EXPECT_EQ(kCuda.words(kCuda.fallback()),
            "BM=128 BN=256 BK=64 STAGES=4 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16");
  EXPECT_TRUE(kCuda.legal(kCuda.fallback()));
}

TEST(GemmTilesSpace, ExplainsEachParameter) {
  for (const tune::Space& space : {kCuda, tiles::space_cpu({}, cpu(32))})
    for (const tune::Parameter& p : space.parameters()) EXPECT_NE(p.meaning, "") << p.name;
}

TEST(GemmTilesSpace, SaysWhatIsIllegal) {
  EXPECT_EQ(why(kCuda, "BM=192 BN=128 BK=64 STAGES=2 CONSUMERS=2 BLOCKS=1 BOXES=1 GROUP=1"),
            "a consumer has whole slabs of 64 rows");
  EXPECT_EQ(why(kCuda, "BM=128 BN=256 BK=64 STAGES=5 CONSUMERS=2 BLOCKS=1 BOXES=0 GROUP=1"),
            "more shared memory than a block may have");
  EXPECT_EQ(why(kCuda, "BM=128 BN=128 BK=64 STAGES=4 CONSUMERS=1 BLOCKS=2 BOXES=0 GROUP=1"),
            "more shared memory than a multiprocessor has");
  EXPECT_EQ(why(kCuda, "BM=192 BN=256 BK=64 STAGES=2 CONSUMERS=3 BLOCKS=1 BOXES=0 GROUP=1"),
            "a wgmma as wide needs more registers than a thread starts with");
  EXPECT_EQ(why(kCuda, "BM=192 BN=192 BK=64 STAGES=2 CONSUMERS=1 BLOCKS=1 BOXES=0 GROUP=1"),
            "the sums leave no registers for anything else");
  tune::Limits few = kH200;
  few.threads = 1024;
  EXPECT_EQ(why(tiles::space_cuda({}, few),
                "BM=128 BN=64 BK=64 STAGES=2 CONSUMERS=2 BLOCKS=3 BOXES=0 GROUP=1"),
            "more threads than a multiprocessor has");
}

// What the kernel takes for granted: sums fit, and consumers take no more than was given back.
TEST(GemmTilesSpace, LegalShapesHaveTheirRegisters) {
  for (const tune::Configuration& c : kCuda.all()) {
    const Shape s = tiles::shape(tune::Values{kCuda, c});
    EXPECT_LE(s.sums(), s.registers() - 32) << kCuda.words(c);
    if (s.gives_registers())
      EXPECT_LE(s.consumers * s.registers() + Shape::kLoading,
                s.registers_at_start() * (s.consumers + 1))
          << kCuda.words(c);
    else
      EXPECT_EQ(s.consumers * s.blocks, 1) << kCuda.words(c);
  }
}

// Cards without wgmma: an A100, and what GeForce cards since 2020 have in a multiprocessor.
const tune::Limits kA100 = {.multiprocessors = 108,
                            .shared_bytes = 163 << 10,
                            .shared_bytes_all = 164 << 10,
                            .registers = 65536,
                            .threads = 2048,
                            .compute = 80,
                            .l2_bytes = 40 << 20,
                            .flops = 280e12,
                            .bandwidth = 1.4e12};
const tune::Limits kGeForce = {.multiprocessors = 128,
                               .shared_bytes = 99 << 10,
                               .shared_bytes_all = 100 << 10,
                               .registers = 65536,
                               .threads = 1536,
                               .compute = 89,
                               .l2_bytes = 72 << 20,
                               .flops = 160e12,
                               .bandwidth = 0.9e12};

TEST(GemmTilesMma, HasHundredsAndALegalDefault) {
  for (const tune::Limits& limits : {kA100, kGeForce}) {
    const tune::Space space = tiles::space_cuda(GemmTiles::bench[0], limits);
    EXPECT_GT(space.all().size(), 400u);
    EXPECT_TRUE(space.legal(space.fallback())) << space.why_illegal(space.fallback());
    for (const tune::Configuration& c : space.all()) {
      const tiles::MmaShape s = tiles::mma_shape(tune::Values{space, c});
      // Each warp has a place in the tile, and each thread as many pieces to copy.
      EXPECT_EQ(s.bm * s.bn, s.threads() / 32 * s.warp_rows * 64) << space.words(c);
      EXPECT_EQ(s.bm % (s.threads() * 8 / s.bk), 0) << space.words(c);
      EXPECT_EQ(s.bn % (s.threads() * 8 / s.bk), 0) << space.words(c);
      EXPECT_LE(s.registers() * s.threads() * s.blocks, 65536) << space.words(c);
    }
  }
}

TEST(GemmTilesMma, SaysWhatIsIllegal) {
  const tune::Space space = tiles::space_cuda(GemmTiles::bench[0], kGeForce);
  EXPECT_EQ(why(space, "BM=128 BN=128 BK=64 STAGES=4 WARP_ROWS=64 BLOCKS=1 GROUP=1"),
            "more shared memory than a block may have");
  EXPECT_EQ(why(space, "BM=128 BN=128 BK=64 STAGES=3 WARP_ROWS=64 BLOCKS=2 GROUP=1"),
            "more shared memory than a multiprocessor has");
  EXPECT_EQ(why(space, "BM=128 BN=256 BK=32 STAGES=2 WARP_ROWS=64 BLOCKS=2 GROUP=1"),
            "more registers than a multiprocessor has");
  EXPECT_EQ(why(space, "BM=256 BN=256 BK=32 STAGES=2 WARP_ROWS=16 BLOCKS=1 GROUP=1"),
            "more threads than a block may have");
  EXPECT_EQ(why(space, "BM=256 BN=128 BK=32 STAGES=2 WARP_ROWS=16 BLOCKS=2 GROUP=1"),
            "more threads than a multiprocessor has");
  EXPECT_EQ(why(space, "BM=256 BN=64 BK=32 STAGES=2 WARP_ROWS=16 BLOCKS=1 GROUP=1"),
            "more threads than 16-byte pieces in a tile of A or B");
}

// Hopper takes this kernel, too, for what TMA refuses.
TEST(GemmTilesMma, IsForEverySizeAndCard) {
  const std::string by_mma = tiles::space_mma(kH200).identity();
  EXPECT_EQ(tiles::space_cuda(product(64, 64, 63, "bf16"), kH200).identity(), by_mma);
  EXPECT_EQ(tiles::space_cuda(product(64, 63, 64, "bf16"), kH200).identity(), by_mma);
  EXPECT_EQ(tiles::space_cuda(product(64, 64, 0, "bf16"), kH200).identity(), by_mma);
  EXPECT_NE(tiles::space_cuda(product(63, 64, 64, "bf16"), kH200).identity(), by_mma);
  EXPECT_EQ(tiles::space_cuda(product(63, 64, 64, "bf16"), kA100).identity(), by_mma);
}

// NVRTC needs no GPU for that.
TEST(GemmTilesMma, CandidatesCompileForEveryCard) {
  for (const int compute : {80, 86, 89, 90, 100, 120}) {
    tune::Limits limits = kGeForce;
    limits.compute = compute;
    const tune::Space space = tiles::space_mma(limits);
    const wb::Scratch folder;
    try {
      tune::compile("ch5_autotune/02_gemm_tiles/candidate.cu", space.macros(space.fallback()),
                    limits, folder.file("object"));
    } catch (const std::runtime_error& e) {
      if (std::string_view(e.what()) == "this build has no CUDA") GTEST_SKIP() << e.what();
      // A toolkit that is older than the card.
      if (std::string_view(e.what()).find("architecture") == std::string_view::npos)
        ADD_FAILURE() << compute << ": " << e.what();
    }
  }
}

TEST(GemmTilesMma, TheModelKnowsRoundsStagesAndWarps) {
  const tune::Space space = tiles::space_cuda(GemmTiles::bench[0], kA100);
  const auto seconds = [&](const wb::Case& c, const std::string& words) {
    return tiles::predict_cuda({space, space.parse(words)}, c, kA100);
  };
  const wb::Case large = product(4096, 4096, 4096, "fp16"), few = product(256, 256, 8192, "bf16");
  constexpr const char* kLarge = "BM=128 BN=128 BK=32 STAGES=3 WARP_ROWS=64 BLOCKS=2 GROUP=16";
  EXPECT_LT(seconds(large, kLarge),
            seconds(large, "BM=64 BN=64 BK=32 STAGES=3 WARP_ROWS=16 BLOCKS=2 GROUP=16"));
  EXPECT_LT(seconds(few, "BM=64 BN=64 BK=64 STAGES=4 WARP_ROWS=32 BLOCKS=2 GROUP=16"),
            seconds(few, kLarge));
  EXPECT_LT(seconds(few, "BM=64 BN=64 BK=32 STAGES=6 WARP_ROWS=32 BLOCKS=2 GROUP=16"),
            seconds(few, "BM=64 BN=64 BK=32 STAGES=2 WARP_ROWS=32 BLOCKS=2 GROUP=16"));
  for (const tune::Configuration& f : space.all())
    ASSERT_GE(tiles::predict_cuda({space, f}, large, kA100), 2 * 0x1p36 / kA100.flops)
        << space.words(f);
}

double seconds(const wb::Case& c, const std::string& words) {
  return tiles::predict_cuda({kCuda, kCuda.parse(words)}, c, kH200);
}
constexpr const char* kDefault =
    "BM=128 BN=256 BK=64 STAGES=4 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16";

TEST(GemmTilesModel, IsNeverFasterThanTheRoof) {
  for (const wb::Case& c : GemmTiles::bench) {
    const double m = c["m"], n = c["n"], k = c["k"];
    const double roof =
        std::max(2 * m * n * k / kH200.flops, 2 * (m * n + m * k + n * k) / kH200.bandwidth);
    for (const tune::Configuration& f : kCuda.all())
      ASSERT_GT(tiles::predict_cuda({kCuda, f}, c, kH200), roof) << kCuda.words(f);
  }
}

TEST(GemmTilesModel, KnowsWhatEachParameterCosts) {
  // Three rounds of 128 x 256, or two of 192 x 192.
  EXPECT_LT(seconds(product(3072, 3072, 3072, "bf16"),
                    "BM=192 BN=192 BK=64 STAGES=4 CONSUMERS=3 BLOCKS=1 BOXES=1 GROUP=16"),
            seconds(product(3072, 3072, 3072, "bf16"), kDefault));
  // Two tiles, or sixteen.
  EXPECT_LT(2 * seconds(product(256, 256, 8192, "bf16"),
                        "BM=64 BN=64 BK=128 STAGES=6 CONSUMERS=1 BLOCKS=1 BOXES=2 GROUP=1"),
            seconds(product(256, 256, 8192, "bf16"), kDefault));
  const wb::Case large = product(4096, 4096, 4096, "fp16");
  EXPECT_LT(seconds(large, kDefault),
            seconds(large, "BM=128 BN=256 BK=64 STAGES=2 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16"));
  EXPECT_LT(seconds(large, kDefault),
            seconds(large, "BM=128 BN=256 BK=64 STAGES=4 CONSUMERS=2 BLOCKS=1 BOXES=0 GROUP=16"));
  EXPECT_LT(seconds(large, kDefault),
            seconds(large, "BM=64 BN=64 BK=64 STAGES=4 CONSUMERS=1 BLOCKS=1 BOXES=2 GROUP=16"));
}

// The exercise's goal is 0.9 times `predicted`, which is this on the GPU at hand. With 132
// multiprocessors a third is to be gained over the default, with 114 or 58 nothing: no goal
// relative to the default could be met on all of them.
TEST(GemmTilesModel, TheExercisesGoalFollowsTheDevice) {
  const wb::Case c = product(3072, 3072, 3072, "bf16");
  const tune::Tunable lesson{.space = tiles::space_cuda, .predict = tiles::predict_cuda};
  for (const int multiprocessors : {40, 58, 78, 114, 132, 148}) {
    tune::Limits device = kH200;
    device.multiprocessors = multiprocessors, device.flops *= multiprocessors / 132.0;
    const auto seconds = [&](const std::string& words) {
      return tiles::predict_cuda({kCuda, kCuda.parse(words)}, c, device);
    };
    const std::string best = tune::expected(lesson, c, device);
    const double least = seconds(best);
    EXPECT_TRUE(kCuda.legal(kCuda.parse(best))) << best;
    EXPECT_LT(least,
              0.5 * seconds("BM=64 BN=64 BK=64 STAGES=2 CONSUMERS=1 BLOCKS=1 BOXES=0 GROUP=1"));
    const double gain = seconds(kDefault) / least;
    EXPECT_GE(gain, 1) << multiprocessors;
    if (multiprocessors == 132) {
      EXPECT_GT(gain, 1.3);
    }
    if (multiprocessors == 58 || multiprocessors == 114) {
      EXPECT_LT(gain, 1.05);
    }
    // What the solution counts its rounds for.
    double solution = HUGE_VAL;
    for (const char* words :
         {"BM=192 BN=192 BK=64 STAGES=4 CONSUMERS=3 BLOCKS=1 BOXES=1 GROUP=16", kDefault,
          "BM=256 BN=192 BK=64 STAGES=3 CONSUMERS=2 BLOCKS=1 BOXES=1 GROUP=16",
          "BM=128 BN=192 BK=64 STAGES=5 CONSUMERS=2 BLOCKS=1 BOXES=1 GROUP=16",
          "BM=128 BN=128 BK=64 STAGES=6 CONSUMERS=2 BLOCKS=1 BOXES=2 GROUP=16"}) {
      EXPECT_EQ(why(kCuda, words), "") << words;
      solution = std::min(solution, seconds(words));
    }
    EXPECT_LT(solution, least / 0.95) << multiprocessors;
  }
}

TEST(GemmTilesModel, NeedsNoCeilings) {
  tune::Limits unknown = kH200;
  unknown.flops = unknown.bandwidth = 0;
  EXPECT_GT(tiles::predict_cuda({kCuda, kCuda.fallback()}, GemmTiles::bench[0], unknown), 0);
}

TEST(GemmTilesCpu, HasHundredsAndALegalDefault) {
  for (const int vector_bytes : {16, 32, 64}) {
    const tune::Space space = tiles::space_cpu({}, cpu(vector_bytes));
    EXPECT_TRUE(space.legal(space.fallback())) << vector_bytes;
    EXPECT_GT(space.all().size(), 800u) << vector_bytes;
    for (const tune::Configuration& c : space.all()) {
      const double s =
          tiles::predict_cpu({space, c}, product(33, 31, 127, "fp32"), cpu(vector_bytes));
      ASSERT_TRUE(s > 0 && std::isfinite(s)) << space.words(c);
    }
  }
}

TEST(GemmTilesCpu, SaysWhatIsIllegal) {
  EXPECT_EQ(why(tiles::space_cpu({}, cpu(32)), "MR=8 NR=2 MC=32 KC=64 NC=256"),
            "sums, a row of B and a value of A need more registers than there are");
  EXPECT_EQ(why(tiles::space_cpu({}, cpu(64)), "MR=8 NR=2 MC=32 KC=64 NC=256"), "");
  EXPECT_EQ(why(tiles::space_cpu({}, cpu(64)), "MR=8 NR=2 MC=384 KC=1024 NC=256"),
            "the block of A is larger than the second-level cache");
}

TEST(GemmTilesCpu, ModelKnowsIdleCoresAndBlocksOfK) {
  const tune::Limits two = cpu(64);
  const tune::Space space = tiles::space_cpu({}, two);
  const auto seconds = [&](const wb::Case& c, const std::string& words) {
    return tiles::predict_cpu({space, space.parse(words)}, c, two);
  };
  const wb::Case few_rows = product(96, 4096, 1024, "fp32"), large = GemmTiles::bench_cpu[0];
  EXPECT_LT(seconds(few_rows, "MR=8 NR=2 MC=48 KC=512 NC=4096"),
            seconds(few_rows, "MR=8 NR=2 MC=96 KC=512 NC=4096"));
  EXPECT_LT(seconds(large, "MR=8 NR=2 MC=96 KC=1024 NC=4096"),
            seconds(large, "MR=8 NR=2 MC=96 KC=64 NC=4096"));
  EXPECT_LT(seconds(large, "MR=8 NR=2 MC=96 KC=512 NC=4096"),
            seconds(large, "MR=2 NR=1 MC=96 KC=512 NC=4096"));
}

}  // namespace
