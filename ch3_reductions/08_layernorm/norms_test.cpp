// Of ch3_reductions/08_layernorm: who takes a row, and what its own tests don't show: the same bits
// on every run, also beside other work, on any number of cores, and on two streams at a time.
#include "../norms/tests.h"
#include "layernorm.h"

namespace wb {
namespace {

Plan forward(i64 rows, i64 columns, int bytes = 4, bool even = true, Machine m = kH200) {
  return plan_norm({false, false, bytes, rows, columns, even}, m);
}

// The variance in one pass, as the mean of squares less the square of the mean, of what is left
// when the first element is taken off: fine until that element is far from all others.
TEST(Norms, AVarianceShiftedByTheMiddleElementIsCaught) {
  expect_caught_by_profile<LayerNorm>(
      "outlier", {{"op", "layernorm"}, {"dtype", "fp32"}, {"rows", 64}, {"columns", 4096}},
      *make_cpu_backend(), [](const LayerNorm::Args& p) {
        const auto *x = static_cast<const float*>(p.x),
                   *weight = static_cast<const float*>(p.weight),
                   *bias = static_cast<const float*>(p.bias);
        auto* y = static_cast<float*>(p.y);
        const auto n = static_cast<float>(p.columns);
        for (i64 row = 0; row < p.rows; ++row, x += p.stride, y += p.columns) {
          const float pivot = x[p.columns / 2];
          float sum = 0, squares = 0;
          for (i64 first = 0; first < p.columns; first += 64) {  // few roundings
            float sum_64 = 0, squares_64 = 0;
            for (i64 i = first; i < std::min(first + 64, p.columns); ++i)
              sum_64 += x[i] - pivot, squares_64 += (x[i] - pivot) * (x[i] - pivot);
            sum += sum_64, squares += squares_64;
          }
          const float mean = sum / n, variance = squares / n - mean * mean;
          const float rstd = 1 / std::sqrt(variance + LayerNorm::kEpsilon);
          for (i64 i = 0; i < p.columns; ++i)
            y[i] = (x[i] - pivot - mean) * rstd * weight[i] + bias[i];
        }
      });
}

// Two passes in fp32, with one accumulator each; for RMSNorm one pass.
Variant plain_norm(const Backend& backend) {
  return variant_of<LayerNorm>(backend, [](const LayerNorm::Args& p) {
    const auto *x = static_cast<const float*>(p.x), *weight = static_cast<const float*>(p.weight),
               *bias = static_cast<const float*>(p.bias);
    auto* y = static_cast<float*>(p.y);
    const auto n = static_cast<float>(p.columns);
    for (i64 row = 0; row < p.rows; ++row, x += p.stride, y += p.columns) {
      float sum = 0, squares = 0;
      for (i64 i = 0; i < p.columns; ++i) sum += x[i];
      const float mean = p.rms ? 0 : sum / n;
      for (i64 i = 0; i < p.columns; ++i) squares += (x[i] - mean) * (x[i] - mean);
      const float rstd = 1 / std::sqrt(squares / n + LayerNorm::kEpsilon);
      for (i64 i = 0; i < p.columns; ++i)
        y[i] = (x[i] - mean) * rstd * weight[i] + (bias ? bias[i] : 0);
    }
  });
}

// Behind an outlier all squares round alike, and in a constant row, too.
TEST(Norms, OneAccumulatorIsRightWithEachProfile) {
  const auto backend = make_cpu_backend();
  for (const char* op : {"layernorm", "rmsnorm"})
    for (const i64 columns : {1, 2, 129, 4096, 16384})
      expect_right_with_profiles(*backend, plain_norm(*backend), matrix(op, "fp32", 5, columns));
}

// Between subnormal numbers a mean rounds by a whole unit, which shows where the bias is 0: with
// this seed it is so in column 45260.
TEST(Norms, AMeanThatIsSubnormalIsRight) {
  const auto backend = make_cpu_backend();
  const Variant plain = plain_norm(*backend);
  Data data(*plain.problem, special("layernorm", "fp32", "tiny", 4, 217920), *backend, 3320270928);
  EXPECT_EQ(Trial(plain, data, *backend).verify(), "");
}

TEST(Norms, OnePassLessTheFirstElementIsCaught) {
  expect_caught_by<LayerNorm>("ends", *make_cpu_backend(), [](const LayerNorm::Args& p) {
    with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T *weight = static_cast<const T*>(p.weight), *bias = static_cast<const T*>(p.bias);
      for (i64 row = 0; row < p.rows; ++row) {
        const T* x = static_cast<const T*>(p.x) + row * p.stride;
        const float n = static_cast<float>(p.columns), first = p.rms ? 0 : static_cast<float>(x[0]);
        float sum = 0, squares = 0;
        for (i64 i = 0; i < p.columns; ++i) {
          const float off = static_cast<float>(x[i]) - first;
          sum += off, squares += off * off;
        }
        const float mean = p.rms ? 0 : sum / n;
        const float rstd = 1 / std::sqrt(squares / n - mean * mean + LayerNorm::kEpsilon);
        for (i64 i = 0; i < p.columns; ++i)
          static_cast<T*>(p.y)[row * p.columns + i] = static_cast<T>(
              (static_cast<float>(x[i]) - first - mean) * rstd * static_cast<float>(weight[i]) +
              (bias ? static_cast<float>(bias[i]) : 0));
      }
    });
  });
}

TEST(NormPlan, GoesByTheLengthOfARowAndTheirNumber) {
  EXPECT_EQ(forward(256 << 10, 256).text(),
            "a warp per row, 2 loads per thread, loads of 4: short rows, enough for all warps; no "
            "barrier");
  EXPECT_EQ(forward(64 << 10, 1024, 2).way, Way::warp);
  EXPECT_EQ(forward(64 << 10, 1024).way, Way::block) << "eight loads per lane leave warps too few";
  EXPECT_EQ(forward(64 << 10, 1024).threads, 64);
  EXPECT_EQ(forward(64, 512).text(),
            "a block of 128 per row, 1 load per thread, loads of 4: few rows: weight and bias come "
            "with x");
  EXPECT_EQ(forward(131, 2052).loads, 2) << "more than 512 threads would have";
  EXPECT_EQ(forward(131, 4100).loads, 4);
  EXPECT_EQ(forward(132, 512).loads, 4) << "a row for each multiprocessor";
  EXPECT_EQ(forward(64 << 10, 511, 4, false).way, Way::block) << "too many addresses for a lane";
  EXPECT_EQ(forward(8192, 8192).text(),
            "a block of 512 per row, 4 loads per thread, loads of 4: the row stays in registers");
  const auto rms = [](i64 columns, int bytes = 4) {
    return plan_norm({false, true, bytes, 8192, columns, true}, kH200);
  };
  EXPECT_EQ(rms(8192).text(),
            "a block of 1024 per row, 2 loads per thread, loads of 4: the row stays in registers, "
            "and no thread lacks a load");
  EXPECT_EQ(rms(4096).way, Way::whole);
  EXPECT_EQ(rms(8188).way, Way::block);
  EXPECT_EQ(rms(8192, 2).way, Way::block);
  EXPECT_EQ(forward(8192, 8192, 2).threads, 256);
  EXPECT_EQ(forward(8192, 8200).loads, 8);
  EXPECT_EQ(forward(8192, 8191, 4, false).text(),
            "a block of 512 per row, 4 loads per thread, loads of 4, single elements at both ends: "
            "the row stays in registers");
  EXPECT_EQ(forward(8192, 8200, 4, false).loads, 8);
  EXPECT_EQ(forward(132, 16'385, 4, false).text(),
            "a block of 1024 per row: the row stays in shared memory, which takes it wherever it "
            "begins");
  EXPECT_EQ(forward(8192, 28'668, 4, false).way, Way::shared);
  EXPECT_EQ(forward(8192, 28'669, 4, false).way, Way::pieces) << "more than half of shared memory";
  EXPECT_EQ(forward(131, 16'385, 4, false).way, Way::pieces) << "a multiprocessor without a row";
  EXPECT_EQ(forward(128, 768).threads, 192);
}

TEST(NormPlan, ShortRowsThatWouldLeaveLanesIdleAreStaged) {
  const auto plan = [](i64 rows, i64 columns, int bytes, bool run = true, bool words = true) {
    return plan_norm({false, false, bytes, rows, columns, columns * bytes % 16 == 0, run, words},
                     kH200);
  };
  EXPECT_EQ(plan(435'814, 18, 2).text(),
            "128 rows per block through shared memory, 1 lane per row: short rows that would leave "
            "lanes idle");
  EXPECT_EQ(plan(435'814, 18, 2).width, 2);
  EXPECT_EQ(plan(435'814, 18, 2, true, false).width, 1) << "an array begins within a word";
  EXPECT_EQ(plan(435'814, 17, 2).width, 1) << "every other row does";
  EXPECT_EQ(plan(435'814, 18, 2, false).way, Way::warp) << "gaps, or y lies elsewhere";
  EXPECT_EQ(plan(236'972, 40, 4).lanes, 4);
  EXPECT_EQ(plan(46'606, 96, 4).way, Way::staged) << "24 lanes have a load";
  EXPECT_EQ(plan(46'606, 100, 4).way, Way::warp);
  EXPECT_EQ(plan(46'606, 255, 4).way, Way::staged);
  EXPECT_EQ(plan(46'606, 257, 4).way, Way::block);
  EXPECT_EQ(plan(2111, 18, 2).way, Way::block) << "few rows";
  EXPECT_NE(plan(2112, 0, 4).way, Way::staged) << "nothing to stage";
}

TEST(NormPlan, BlocksShareLongRows) {
  EXPECT_EQ(forward(4096, 16 << 10).threads, 512) << "64 KiB: the most for one block";
  EXPECT_EQ(forward(4096, (16 << 10) + 4).blocks, 4);
  EXPECT_EQ(forward(1024, 64 << 10).text(),
            "8 blocks, 256 threads of each per row, 8 loads per thread, loads of 4: too long for "
            "one block");
  EXPECT_EQ(forward(1024, 64 << 10, 2).blocks, 4);
  EXPECT_EQ(forward(512, 128 << 10).blocks, 16);
  EXPECT_EQ(forward(512, (128 << 10) + 4).way, Way::pieces);
  EXPECT_EQ(forward(1024, 64 << 10, 4, true, kOlder).way, Way::pieces) << "no clusters there";
}

TEST(NormPlan, RowsInPiecesHaveAsManyBlocksAsFillTheMachine) {
  EXPECT_EQ(forward(64, 512 << 10).text(),
            "33 pieces per row, then a block of 512 for 7 rows of 4096 columns: too long to stay "
            "anywhere");
  EXPECT_EQ(forward(1, 17'001, 4, false).text(),
            "2 pieces per row, then a block of 512 for 1 row of 4096 columns: too long for "
            "registers, and not aligned");
  EXPECT_EQ(forward(2902, 30'011, 4, false).blocks, 1) << "rows enough";
  EXPECT_EQ(forward(2902, 30'011, 4, false).own, kMostGroup);
  EXPECT_EQ(forward(1, 65'537, 2, false).blocks, 8) << "a prime";
  EXPECT_EQ(forward(72, 326'371, 2, false).blocks, 30);
  for (const i64 rows : {1, 31, 33, 127, 129, 2111, 100'003})
    for (const i64 columns : {28'669, 30'011, 65'537, 326'371, 1 << 20, 99'999'989}) {
      const Plan p = forward(rows, columns, 4, columns % 4 == 0);
      ASSERT_EQ(p.way, Way::pieces) << p.text();
      const i64 piece = up(columns, p.blocks);
      EXPECT_LT((p.blocks - 1) * piece, columns) << "the last one is empty: " << p.text();
      EXPECT_TRUE(p.blocks == 1 || piece >= kPieceColumns) << p.text();
      EXPECT_TRUE(rows * p.blocks >= i64{kPieces} * kH200.multiprocessors - rows ||
                  piece < 2 * kPieceColumns)
          << "few blocks: " << p.text();
    }
}

// Whatever the shape: each column has a thread, blocks are whole warps, and what is kept fits.
TEST(NormPlan, CoversEachRowAndFits) {
  for (const Machine& m : {kH200, kOlder, kSmall})
    for (const bool rms : {false, true})
      for (const int pass : {0, 1, 2})  // forward, the same without gaps, backward
        for (const int bytes : {2, 4})
          for (const i64 rows : {i64{1}, i64{131}, i64{2112}, i64{1} << 24})
            for (i64 columns = 0; columns < 4'000'000; columns += 1 + columns * 7 / 50) {
              const bool even = columns * bytes % 16 == 0, words = columns * bytes % 4 == 0;
              const Plan p =
                  plan_norm({pass == 2, rms, bytes, rows, columns, even, pass == 1, words}, m);
              const bool cluster = p.way == Way::cluster;
              const bool again = p.way == Way::pieces || p.way == Way::stages;
              const bool staged = p.way == Way::staged;
              const i64 threads = staged               ? p.lanes
                                  : p.way == Way::warp ? 32
                                                       : i64{p.threads} * p.blocks;
              const i64 elements = i64{p.loads} * p.width;
              EXPECT_TRUE(again || threads * elements >= columns) << p.text();
              EXPECT_TRUE(p.threads % 32 == 0 && p.threads >= 32 && p.threads <= 1024) << p.text();
              EXPECT_EQ(p.odd, !even) << p.text();
              EXPECT_TRUE(p.width == 1 || even || staged || p.way == Way::block ||
                          p.way == Way::pieces || (p.width * bytes == 4 && words))
                  << p.text();
              EXPECT_TRUE(!staged || p.own * columns * bytes <= kStageBytes) << p.text();
              EXPECT_TRUE(p.way != Way::whole || threads * elements == columns) << p.text();
              EXPECT_TRUE(m.clusters || !cluster) << p.text();
              EXPECT_TRUE(!cluster || (p.blocks <= kMostBlocks && p.loads == kMostLoads))
                  << p.text();
              int own = 0;  // bytes of shared memory per block
              if (cluster) own = kClusterBlocks * 2 * kTeamThreads * kMostLoads * kLoadBytes;
              const i64 row = columns * bytes + kLoadBytes;
              EXPECT_TRUE(p.way != Way::shared ||
                          kRowBlocks * (row + kOwn + kReserved) <= m.shared_bytes + kReserved)
                  << p.text();
              if (p.way == Way::slots)
                own = 2 * kRowsAhead * kBackwardElements * p.threads * p.own * bytes;
              if (p.way != Way::slots) {
                EXPECT_LE(own + 16 * kOwn, m.shared_bytes) << p.text();
                continue;
              }
              EXPECT_LE(own + kOwn, m.shared_bytes) << p.text();
              EXPECT_LE(p.per_processor * (own + kOwn + kReserved), m.shared_bytes + kReserved)
                  << p.text();
            }
}

// Warps whose lanes have many loads; so many short rows that a block takes its share turn by turn;
// rows that are too long for a cluster, in pieces that begin anywhere; and what is so large that on
// a CPU the results go past the caches.
constexpr Case kOwnCases[] = {matrix("rmsnorm", "fp32", 2203, 260),
                              matrix("layernorm", "fp32", 2203, 260),
                              matrix("rmsnorm", "bf16", 2203, 520),
                              special("rmsnorm", "fp32", "spikes", 1, 540'676),
                              special("layernorm", "fp32", "spikes", 1, 540'676),
                              special("rmsnorm", "bf16", "spikes", 1, 540'680),
                              special("layernorm", "bf16", "spikes", 1, 540'680),
                              view("layernorm", "fp32", 1031, 4099, 4107, 3),
                              view("layernorm", "fp32", 33, 65'537, 65'541, 1),
                              view("layernorm", "bf16", 31, 65'537, 65'538, 7),
                              view("rmsnorm", "fp16", 127, 40'000, 40'008, 5),
                              special("layernorm", "fp32", "ends", 129, 16'411),
                              special("layernorm", "fp32", "ends", 132, 20'003),
                              view("layernorm", "bf16", 135, 40'001, 40'003, 5),
                              view("rmsnorm", "fp32", 133, 16'411, 16'413, 3),
                              special("rmsnorm", "bf16", "spikes", 132, 33'001),
                              special("layernorm", "fp32", "offset", 3, 131'071),
                              special("layernorm", "fp16", "inf", 3, 65'537),
                              matrix("layernorm", "bf16", 435'814, 18),
                              matrix("rmsnorm", "fp32", 236'972, 40)};

TEST(NormPlan, EachWayHasATestCase) { expect_each_way<LayerNorm>(false, kOwnCases); }

TEST(NormPlan, CasesHaveTheWordsThatThereAre) {
  expect_unknown(linked("cpu"), special("layernorm", "fp32", "ofset", 3, 4));
}

// One for each way, and both norms where they have kernels of their own: warps, blocks, few rows.
constexpr Rows kShapes[] = {{false, 5000, 33},  {false, 3000, 500},   {true, 3000, 500},
                            {false, 200, 8192}, {true, 200, 8192},    {false, 100, 1024},
                            {true, 100, 1024},  {false, 200, 3000},   {true, 200, 3000},
                            {false, 9, 12'001}, {true, 100, 5003},    {false, 37, 65'536},
                            {true, 5, 40'003},  {false, 19, 150'000}, {true, 9, 16'384}};

TEST(Norms, OfLargerArraysAreRight) { expect_right(*make_cpu_backend(), linked("cpu"), kOwnCases); }

TEST(Norms, HaveTheSameBitsOnAnyNumberOfCores) {
  const auto backend = make_cpu_backend();
  for (const Rows& shape : kShapes) expect_same_bits(*backend, linked("cpu"), false, shape);
}

#ifdef WB_WITH_CUDA
using NormsCuda = OnGpu;

TEST_F(NormsCuda, OfLargerArraysAreRight) {
  expect_right(*backend_, linked("cuda", "all_shapes"), kOwnCases);
}

TEST_F(NormsCuda, HaveTheSameBitsOnEveryRunBesideOtherWork) {
  for (const Rows& shape : kShapes)
    expect_same_bits(*backend_, linked("cuda", "all_shapes"), false, shape);
}

// More rows than blocks take at once, so that barriers and memory are used again and again.
TEST_F(NormsCuda, BlocksThatShareRowsTakeManyOneAfterTheOther) {
  for (const auto& [rms, rows, columns] : {std::tuple{false, 1003, 16'400},
                                           {true, 701, 40'000},
                                           {false, 211, 131'072},
                                           {false, 43, 150'000},
                                           {true, 29, 300'004}}) {
    SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
    Norms norms(*backend_, rms, false, rows, columns);
    const auto result = [&](const std::string& variant) {
      norms.poison();
      linked("cuda", variant).make (&norms.args)(backend_->stream());
      backend_->synchronize_stream();
      return norms.got();
    };
    const std::vector<float> got = result("all_shapes"), want = result("baseline");
    const auto smaller = [](float a, float b) { return std::abs(a) < std::abs(b); };
    const float allowed = 1e-5f * std::abs(*std::max_element(want.begin(), want.end(), smaller));
    i64 wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) wrong += !(std::abs(got[i] - want[i]) <= allowed);
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(NormsCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  for (const auto& [rms, rows, columns] : kShapes) {
    Norms a(*backend_, rms, false, rows, columns), b(*backend_, rms, false, rows + 7, columns);
    expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b, 5);
  }
}

// Of one kernel, with more and with less shared memory: the limit that a set-up asks for is that of
// the kernel.
TEST_F(NormsCuda, SetUpsOfOtherSizesDoNotDisturbEachOther) {
  Norms long_rows(*backend_, false, false, 7, 524'288),
      short_rows(*backend_, true, false, 5, 140'000);
  expect_undisturbed(*backend_, linked("cuda", "all_shapes"), long_rows, short_rows, 5);
}

// Every x is 191/256, so each row of y is the weights, divided by one number; also the rows that
// begin after element 2^31.
TEST_F(NormsCuda, MoreThan2To31ElementsAreNormalized) {
  constexpr i64 kRows = (1 << 21) + 3, kColumns = 1024, kRow = kColumns * sizeof(bfloat16);
  if (static_cast<double>(backend_->free_bytes(Space::device)) < 2.5 * kRows * kRow)
    GTEST_SKIP() << "needs 11 GB of memory";
  std::vector<bfloat16> weight(kColumns), got(kColumns);
  for (i64 i = 0; i < kColumns; ++i) weight[i] = bfloat16(uniform(7, i));
  void *const x = backend_->allocate(kRows * kRow, Space::device),
              *const y = backend_->allocate(kRows * kRow, Space::device),
              *const w = backend_->allocate(kRow, Space::device);
  backend_->upload(w, weight.data(), kRow, Space::device);
  backend_->fill(x, 0x3F, kRows * kRow, Space::device);
  backend_->fill(y, 0xFF, kRows * kRow, Space::device);
  LayerNorm::Args args;
  args.rms = true, args.dtype = "bf16", args.rows = kRows, args.columns = args.stride = kColumns;
  args.x = x, args.weight = w, args.y = y;
  linked("cuda", "all_shapes").make (&args)(backend_->stream());
  backend_->synchronize_stream();
  constexpr double kX = 191.0 / 256;
  for (const i64 row : {i64{0}, kRows / 2, kRows - 4, kRows - 3, kRows - 1}) {
    backend_->download(got.data(), static_cast<char*>(y) + row * kRow, kRow, Space::device);
    for (i64 i = 0; i < kColumns; ++i) {
      const double want = kX / std::sqrt(kX * kX + LayerNorm::kEpsilon) * weight[i];
      ASSERT_NEAR(got[i], want, 0x1p-7 * std::abs(want)) << row << ", " << i;
    }
  }
  for (void* array : {x, y, w}) backend_->release(array, Space::device);
}
#endif

}  // namespace
}  // namespace wb
