// Of ch3_reductions/03_outer_axis: who sums a column; and what its own tests can't show, for their
// inputs are chosen so that additions never round: the same bits on every run where they do. Also
// two streams at a time, and more than 2^31 elements.
#include <gtest/gtest.h>

#include <cmath>

#include "all_shapes/plan.h"
#include "cases.h"
#include "device/backends.h"
#include "measure/same_bits.h"
#include "on_gpu.h"
#include "outer_axis.h"
#include "same_bits.h"

namespace wb {
namespace {

Plan plan_of(i64 rows, i64 columns, int bytes = 4, i64 stride = 0, std::uintptr_t address = 0) {
  return plan_columns(rows, columns, {bytes, stride ? stride : columns, address}, 132);
}

TEST(ColumnPlan, GoesByTheShape) {
  EXPECT_EQ(plan_of(64, 1 << 20).lanes, 32) << "enough columns";
  EXPECT_EQ(plan_of(8192, 8192).lanes, 16) << "narrower tiles rather than pieces";
  EXPECT_EQ(plan_of(8192, 8192).pieces, 1);
  EXPECT_EQ(plan_of(8192, 8192).threads, 512) << "a block per multiprocessor";
  EXPECT_EQ(plan_of(8192, 8192, 2).lanes, 8);
  EXPECT_EQ(plan_of(8192, 8191).threads, 256) << "some multiprocessors have two blocks";
  EXPECT_EQ(plan_of(65'536, 1024).pieces, 8) << "too few columns for the narrowest tiles";
  EXPECT_EQ(plan_of(65'536, 1024).lanes, 16);
  EXPECT_EQ(plan_of(128, 4096).tiles, 128) << "a tile for almost each multiprocessor";
  EXPECT_EQ(plan_of(128, 4096).threads, 256) << "few rows";
  EXPECT_EQ(plan_of(200, 1024).pieces, 1);
  EXPECT_EQ(plan_of(16 << 20, 4).fold, 32);
  EXPECT_EQ(plan_of(16 << 20, 4, 4, 5).fold, 1) << "rows with gaps";
  EXPECT_EQ(plan_of(16 << 20, 4, 4, 4, 4).fold, 31) << "32 loads cover 31 that begin anywhere";
  EXPECT_EQ(plan_of(1 << 20, 64, 2).fold, 4);
  EXPECT_TRUE(plan_of(3, 1 << 20).walk);
  EXPECT_TRUE(plan_of(8, 10'000'000).walk) << "more threads than there are places";
  EXPECT_FALSE(plan_of(8, 1 << 20).walk || plan_of(17, 10'000'000).walk);
  EXPECT_TRUE(plan_of(24, 452'597).walk && plan_of(32, 452'597, 2).walk) << "a thread per column";
  EXPECT_FALSE(plan_of(33, 452'597).walk || plan_of(33, 452'597, 2).walk);
  EXPECT_FALSE(plan_of(24, 452'596).walk) << "rows at multiples of 16 bytes";
  EXPECT_TRUE(plan_of(24, 452'596, 4, 452'597).walk && plan_of(24, 452'596, 4, 452'596, 4).walk);
  EXPECT_TRUE(plan_of(8, 270'337).walk) << "a column for each of 132 times 2048 places";
  EXPECT_FALSE(plan_of(8, 270'335).walk || plan_of(89, 100'289, 2).walk);
  EXPECT_EQ(plan_of(24, 452'597).text(), "1 columns per thread: columns for all threads");
  EXPECT_EQ(plan_of(3, 1 << 20).tile, 4);
  EXPECT_EQ(plan_of(3, 1000, 2, 1001).tile, 1);
  EXPECT_EQ(plan_of(64, 1 << 20).text(),
            "128 columns per block, 256 threads, one step: enough columns for all blocks");
  EXPECT_EQ(plan_of(65, 1 << 20).text(),
            "128 columns per block, 256 threads: enough columns for all blocks");
}

TEST(ColumnPlan, KnowsWhatABlockTakesInOneStep) {
  EXPECT_TRUE(plan_of(128, 4096).one_step);
  EXPECT_EQ(plan_of(128, 4096).lanes, 8);
  EXPECT_TRUE(plan_of(8, 4096).one_step);
  EXPECT_FALSE(plan_of(7, 4096).one_step) << "a walk";
  EXPECT_TRUE(plan_of(256, 4096).one_step) << "eight loads for each of 32 threads below each other";
  EXPECT_FALSE(plan_of(257, 4096).one_step);
  EXPECT_TRUE(plan_of(128, 8192).one_step);
  EXPECT_FALSE(plan_of(129, 8192).one_step) << "lanes are 16, so threads below each other are 16";
  EXPECT_TRUE(plan_of(64, 1 << 20, 2).one_step);
  EXPECT_FALSE(plan_of(65, 1 << 20, 2).one_step);

  EXPECT_TRUE(plan_of(128, 4064).one_step);
  EXPECT_FALSE(plan_of(128, 4095).one_step) << "a column too few";
  EXPECT_FALSE(plan_of(128, 4095, 4, 4096).one_step);
  EXPECT_FALSE(plan_of(128, 4092).one_step) << "a tile that is cut short";
  EXPECT_FALSE(plan_of(128, 72).one_step) << "tiles of 24 all";
  EXPECT_FALSE(plan_of(128, 4064, 2).one_step) << "half a tile";
  EXPECT_FALSE(plan_of(128, 64).one_step) << "rows read as longer ones";
  EXPECT_TRUE(plan_of(128, 64, 4, 68).one_step);

  EXPECT_TRUE(plan_of(128, 4096, 4, 4100, 16).one_step);
  EXPECT_FALSE(plan_of(128, 4096, 4, 4096, 4).one_step) << "a start that is off by an element";
  EXPECT_FALSE(plan_of(128, 4096, 4, 4098).one_step) << "rows at multiples of eight bytes";
  EXPECT_FALSE(plan_of(128, 4096, 2, 4100).one_step);

  constexpr i64 kMost = i64{1} << 31;
  EXPECT_FALSE(plan_of(64, kMost / 64).one_step) << "numbers of 32 bits do not reach";
  EXPECT_TRUE(plan_of(64, kMost / 64 - 128).one_step);
  EXPECT_FALSE(plan_of(64, 4096, 4, kMost / 64).one_step) << "gaps count";
  EXPECT_TRUE(plan_of(64, 4096, 4, kMost / 64 - 4).one_step);
}

TEST(ColumnPlan, TilesAreNoWiderThanTheLoadsOfARow) {
  EXPECT_EQ(plan_of(1024, 65'536).tile, 128);
  EXPECT_EQ(plan_of(8192, 8192).tile, 64);
  EXPECT_EQ(plan_of(8192, 8192, 2).tile, 64);
  EXPECT_LE(plan_of(8192, 8191).tile, 60) << "a load less where rows begin anywhere";
  EXPECT_LE(plan_of(8192, 8192, 4, 8193).tile, 60);
  EXPECT_LE(plan_of(8192, 65'536, 2, 0, 2).tile, 248);
  EXPECT_EQ(plan_of(8192, 68).tile, 36) << "two tiles that are about equally wide";
}

// Whatever the shape: each element belongs to one block, no block is empty, the loads of a row
// cover a tile, what threads leave fits the block's shared memory, and rows are shared by no more
// blocks than it takes for one per multiprocessor.
TEST(ColumnPlan, CoversTheMatrixOnce) {
  for (const int multiprocessors : {1, 7, 132})
    for (const int bytes : {2, 4})
      for (const i64 rows : {0, 1, 7, 8, 131, 923, 70'000, 1 << 24})
        for (i64 columns = 1; columns < 20'000'000; columns += 1 + columns / 3)
          for (const i64 gap : {0, 1, 8}) {
            const i64 stride = columns + gap;
            const Plan p = plan_columns(rows, columns, {bytes, stride, 0}, multiprocessors);
            SCOPED_TRACE(p.text());
            ASSERT_TRUE(p.tiles * p.tile >= p.columns && (p.tiles - 1) * p.tile < p.columns);
            ASSERT_LT(p.tiles * p.pieces, i64{1} << 31);
            if (p.walk) continue;
            const bool even = p.stride * bytes % 16 == 0;
            ASSERT_LE(p.tile, (even ? p.lanes : p.lanes - 1) * 16 / bytes);
            ASSERT_TRUE(p.pieces * p.piece >= p.rows && (p.pieces - 1) * p.piece <= p.rows);
            ASSERT_TRUE(p.pieces == 1 || (p.pieces - 1) * p.piece < p.rows) << "an empty piece";
            ASSERT_TRUE(p.pieces == 1 ||
                        p.tiles * p.pieces < 2 * std::max(multiprocessors * 3 / 4, 1));
            ASSERT_TRUE(p.threads == kThreads || p.tiles * p.pieces <= multiprocessors);
            ASSERT_TRUE(p.lanes >= (even ? kLeastLanes : kSplitLanes) && p.lanes <= kWarp);
            ASSERT_EQ(p.together, even ? kWarp : p.lanes);
            ASSERT_LE(p.threads / p.together * p.tile, kAloneThreads * 16 / bytes);
            ASSERT_EQ(p.threads / p.lanes % (16 / bytes), 0) << "all of a thread's loads aligned";
            ASSERT_GE(p.fold * p.rows, rows);
            ASSERT_EQ(p.columns, p.fold * columns);
            ASSERT_TRUE(p.fold == 1 || (p.tiles == 1 && p.stride == p.columns && gap == 0));
            if (!p.one_step) continue;
            ASSERT_TRUE(even && p.fold == 1 && p.pieces == 1 && p.threads == kThreads);
            ASSERT_TRUE(p.tile == p.lanes * 16 / bytes && p.tiles * p.tile == columns);
            ASSERT_LE(rows, kThreads / p.lanes * kLoads);
            ASSERT_LE(rows * stride, INT32_MAX);
          }
}

// All loads of a step in wide tiles; blocks of 512 threads: tiles of all rows, and folded rows in
// pieces; walks that ask for rows more than once; and a wide one of few rows.
constexpr Case kOwnCases[] = {
    matrix("sum", "fp32", 128, 8192),      matrix("max", "fp32", 64, 12'800),
    matrix("sum", "fp32", 256, 6400),      matrix("max", "fp32", 128, 12'804),
    matrix("sum", "fp32", 128, 12'301),    matrix("sum", "fp32", 540'700, 4),
    view("sum", "fp32", 693'000, 3, 3, 1), matrix("sum", "fp32", 24, 270'337),
    matrix("max", "bf16", 31, 270'339),    matrix("sum", "fp32", 9, 2'162'688),
    matrix("sum", "fp32", 3, 1028)};

// The kernel that all_shapes.cu launches, and its type; what `reduce` does; and where accumulators
// of maxima begin, which are below 0.
std::set<std::string> ways_of(i64 rows, i64 columns, const Placement& x, bool negative) {
  const Plan p = plan_columns(rows, columns, x, 132);
  const int step = kThreads / p.lanes;  // rows
  const bool four = p.rows == step * kLoads / 2, eight = p.rows == step * kLoads;
  std::string kernel = "reduce", how;
  if (p.walk) {
    const int loads = p.tile > 1 ? kLoads : kSingleLoads;
    kernel = p.tile > 1 ? "walk, wide" : "walk, single elements";
    if (rows > kLoads / 2) how = rows > loads ? ", again and again" : ", deep";
  } else if (p.one_step) {
    kernel = "one step";
    how = fmt::format(", {} lanes, {}", p.lanes, four ? "4" : eight ? "8" : "up to 8");
  } else {
    how =
        fmt::format(", {} threads, {} lanes, {}", p.threads, p.lanes, even(p, x) ? "even" : "odd");
  }
  const std::string shared =
      std::string(p.fold > 1 ? ", folded" : "") + (p.pieces > 1 ? ", pieces" : "");
  std::set<std::string> ways = {kernel + how + shared,
                                fmt::format("{}, {} bits", kernel, 8 * x.element_bytes)};
  if (negative) ways.insert(kernel + shared + ", negative maxima");
  return ways;
}

TEST(ColumnPlan, EachWayHasATestCase) {
  std::set<std::string> all;
  for (const int bytes : {2, 4})
    for (const i64 rows : {1, 7, 8, 16, 32, 64, 128, 256, 512, 4096, 40'000, 1 << 20})
      for (i64 columns = 1; columns < 3'000'000; columns += columns < 300 ? 1 : columns / 16)
        for (const i64 gap : {0, 1, 8})
          for (const int late : {0, 1}) {
            const i64 own = columns > 300 && !late ? columns / 256 * 256 : columns;
            all.merge(ways_of(rows, own, {bytes, own + gap, late * 4u}, true));
          }
  expect_a_case_for_each(all, tested<OuterAxis>(kOwnCases), [](const Case& c) {
    const int bytes = static_cast<int>(OuterAxis::element_bytes(c.word("dtype")));
    if (c["rows"] * c["columns"] == 0) return std::set<std::string>{};
    const auto address = static_cast<std::uintptr_t>(c.get("late", 0) * bytes);
    return ways_of(c["rows"], c["columns"], {bytes, c.get("stride", c["columns"]), address},
                   std::string_view(c.word("values")) == "negative");
  });
}

TEST(ColumnPlan, CasesHaveTheWordsThatThereAre) {
  const Variant& variant = linked("cpu");
  expect_unknown(variant, special("max", "fp32", "nagative", 3, 4));
  expect_unknown(variant, special("sum", "fp32", "negative", 3, 4));
}

struct Matrix : SumsThatRound<OuterAxis::Args> {
  Matrix(Backend& backend, i64 rows, i64 columns)
      : SumsThatRound(backend, rows, columns, columns) {}
};

// Folded in pieces, pieces of tiles, odd ones, one step that is full and one that is not, narrow
// tiles of many rows, tiles alone.
constexpr std::pair<i64, i64> kShapes[] = {{1'000'003, 3}, {20'000, 64}, {8192, 500}, {5000, 1031},
                                           {128, 4096},    {100, 4096},  {600, 8192}, {40, 60'001}};

void expect_same_bits(Backend& backend, const Variant& variant) {
  for (const auto& [rows, columns] : kShapes) {
    SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
    Matrix m(backend, rows, columns);
    expect_same_bits(backend, variant, m);
  }
}

TEST(Columns, OfLargerMatricesAreRight) {
  expect_right(*make_cpu_backend(), linked("cpu"), kOwnCases);
}

TEST(Columns, SumsThatDependOnTheNumberOfThreadsAreSeen) {
  expect_other_bits<OuterAxis>(matrix("sum", "fp32", 5000, 3), [](const OuterAxis::Args& p) {
    for (i64 column = 0; column < p.columns; ++column) {
      float sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
      for (i64 row = 0; row < p.rows; ++row)
        sum += static_cast<const float*>(p.x)[row * p.stride + column];
      static_cast<float*>(p.y)[column] = sum;
    }
  });
}

TEST(Columns, HaveTheSameBitsOnAnyNumberOfCores) {
  expect_same_bits(*make_cpu_backend(), linked("cpu"));
}

#ifdef WB_WITH_CUDA
using ColumnsCuda = OnGpu;

// Variants whose blocks share columns.
constexpr const char* kShared[] = {"optimized", "all_shapes"};

TEST_F(ColumnsCuda, OfLargerMatricesAreRight) {
  for (const char* name : kShared) expect_right(*backend_, linked("cuda", name), kOwnCases);
}

TEST_F(ColumnsCuda, HaveTheSameBitsOnEveryRunBesideOtherWork) {
  for (const char* name : kShared) expect_same_bits(*backend_, linked("cuda", name));
}

TEST_F(ColumnsCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  Matrix a(*backend_, 1'000'003, 3), b(*backend_, 8191, 500);
  for (const char* name : kShared) expect_undisturbed(*backend_, linked("cuda", name), a, b);
}

// 2^31 + 14 elements of bf16, multiples of 1/16 from -1/2 to 1/2 in a pattern of 17 along each
// column, whose sum is 0. So the sum of a column is that of its last elements, after the last
// whole pattern.
TEST_F(ColumnsCuda, MoreThan2To31ElementsAreReduced) {
  constexpr i64 kPattern = 17;
  for (const auto& [rows, columns] :
       {std::pair<i64, i64>{(i64{1} << 30) + 7, 2}, {1031, 2'083'012}}) {
    const i64 piece = std::max<i64>((1 << 22) / columns, 1) * kPattern;  // rows
    const std::size_t bytes = rows * columns * sizeof(bfloat16);
    if (static_cast<double>(backend_->free_bytes(Space::device)) <
        1.25 * static_cast<double>(bytes))
      GTEST_SKIP() << "needs 5 GiB of memory";
    std::vector<bfloat16> element(kPattern), pattern(piece * columns);
    for (i64 row = 0; row < kPattern; ++row)
      element[row] = bfloat16(static_cast<double>(row - 8) / 16);
    for (i64 row = 0; row < piece; ++row)
      std::fill_n(&pattern[row * columns], columns, element[row % kPattern]);
    auto* const x = static_cast<bfloat16*>(backend_->allocate(bytes, Space::device));
    void* const y = backend_->allocate(columns * sizeof(bfloat16), Space::device);
    for (i64 row = 0; row < rows; row += piece)
      backend_->upload(x + row * columns, pattern.data(),
                       std::min(piece, rows - row) * columns * sizeof(bfloat16), Space::device);
    double want = 0;
    for (i64 row = rows / kPattern * kPattern; row < rows; ++row) want += element[row % kPattern];
    const OuterAxis::Args args{Operation::sum, "bf16", rows, columns, columns, x, y};
    for (const char* name : kShared) {
      backend_->fill(y, 0xFF, columns * sizeof(bfloat16), Space::device);
      linked("cuda", name).make (&args)(backend_->stream());
      backend_->synchronize_stream();
      std::vector<bfloat16> got(columns);
      backend_->download(got.data(), y, columns * sizeof(bfloat16), Space::device);
      for (const bfloat16 sum : got) ASSERT_EQ(static_cast<double>(sum), want) << name << rows;
    }
    backend_->release(x, Space::device), backend_->release(y, Space::device);
  }
}
#endif

}  // namespace
}  // namespace wb
