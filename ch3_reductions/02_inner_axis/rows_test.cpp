// Of ch3_reductions/02_inner_axis: who reduces a row; and what its own tests can't show, for their
// inputs are chosen so that additions never round: the same bits on every run where they do. Also
// two streams at a time, and more than 2^31 elements.
#include <gtest/gtest.h>

#include <cmath>

#include "all_shapes/plan.h"
#include "cases.h"
#include "device/backends.h"
#include "inner_axis.h"
#include "on_gpu.h"
#include "same_bits.h"

namespace wb {
namespace {

Plan plan_of(i64 rows, i64 columns, int bytes = 4, i64 stride = 0, std::uintptr_t address = 0) {
  return plan_rows(rows, columns, {bytes, stride ? stride : columns, address}, 132);
}

TEST(RowPlan, GoesByTheLengthOfARowAndTheirNumber) {
  EXPECT_EQ(plan_of(16 << 20, 4).team, Team::lanes);
  EXPECT_EQ(plan_of(128 << 10, 512).team, Team::warp);
  EXPECT_EQ(plan_of(64, 512).team, Team::block) << "too few rows for warps alone";
  EXPECT_EQ(plan_of(64 << 10, 1020).team, Team::warp);
  EXPECT_EQ(plan_of(64 << 10, 1024).text(),
            "a block of 128 per row, 2 loads of 4 in flight: all of the row at once");
  EXPECT_EQ(plan_of(64 << 10, 2044, 2).team, Team::warp);
  EXPECT_EQ(plan_of(8192, 8192).text(),
            "a block of 512 per row, 4 loads of 4 in flight: all of the row at once");
  EXPECT_EQ(plan_of(8192, 8191).text(),
            "a block of 256 per row, 4 loads of 4 in flight: enough rows for all blocks");
  EXPECT_EQ(plan_of(4 * 132 + 1, 64 << 10).team, Team::block)
      << "two each are more than run at a time";
  EXPECT_EQ(plan_of(4 * 132, 64 << 10).team, Team::blocks);
  EXPECT_EQ(plan_of(64, 1 << 20).team, Team::blocks);
  EXPECT_EQ(plan_of(64, 1 << 20).pieces, 16) << "equal ones, 1024 blocks in all";
  EXPECT_EQ(plan_of(1, 1 << 14).pieces, 4) << "a piece is what a block asks for at a time";
  EXPECT_EQ(plan_of(4096, 1 << 20).pieces, 1);
  EXPECT_EQ(plan_rows(64, 1 << 20, {4, 1 << 20, 0}, 132, 6).pieces, 12) << "a smaller device";
  EXPECT_EQ(plan_of(1 << 20, 60).text(), "8 lanes per row, 2 loads of 4 in flight: a short row");
  EXPECT_EQ(plan_of(16 << 20, 4).text(),
            "1 lane per row, 2 loads of 4 in flight: short rows that fill all blocks");
}

TEST(RowPlan, RowsThatBeginAnywhereGoThroughSharedMemoryWhereTheyAreMany) {
  EXPECT_EQ(plan_of(4 << 20, 49).text(),
            "80 rows per block through shared memory, 2 lanes per row: rows that begin anywhere");
  EXPECT_EQ(plan_of(10'000'000, 7).team, Team::staged);
  EXPECT_EQ(plan_of(4 << 20, 49, 2).own, 160) << "as many as begin where a wide load may";
  EXPECT_EQ(plan_of(4 << 20, 48).team, Team::lanes) << "even rows need none of that";
  EXPECT_EQ(plan_of(4 << 20, 49, 4, 50).team, Team::warp) << "gaps would be read";
  EXPECT_EQ(plan_of(4 << 20, 49, 4, 49, 4).team, Team::staged) << "nothing begins evenly";
  EXPECT_EQ(plan_of(1000, 49).team, Team::block) << "too few for all multiprocessors";
  EXPECT_EQ(plan_of(1 << 20, 1025).team, Team::block) << "none fits";
  EXPECT_EQ(plan_of(8 << 20, 1).team, Team::lanes);
}

TEST(RowPlan, KnowsWhereNoLaneLacksALoad) {
  for (const i64 packs : {1, 2, 4, 8, 16, 32})
    for (const int bytes : {2, 4})
      for (const i64 gap : {0, 16}) {
        const i64 columns = packs * 16 / bytes;
        const Plan some = plan_of(256, columns, bytes, columns + gap);
        SCOPED_TRACE(some.text());
        EXPECT_TRUE(some.full);
        EXPECT_EQ(some.lanes * some.loads, packs);
        EXPECT_TRUE(plan_of(1 << 20, columns, bytes).full);
        EXPECT_FALSE(plan_of(256, columns - 1, bytes, columns).full) << "a load without its end";
        EXPECT_FALSE(plan_of(256, columns + 1, bytes, columns + 16).full);
        const i64 of_block = 256 / some.lanes;
        EXPECT_TRUE(plan_of(of_block, columns, bytes).full);
        EXPECT_FALSE(plan_of(of_block + 1, columns, bytes).full) << "a row for a block of its own";
        EXPECT_FALSE(plan_of(of_block - 1, columns, bytes).full);
      }
  EXPECT_FALSE(plan_of(256, 24).full) << "six loads for eight lanes";
  EXPECT_FALSE(plan_of(4096, 132).full) << "a row for a warp";
  EXPECT_FALSE(plan_of(4096, 64, 4, 64, 4).full) << "loads of single elements";
  EXPECT_FALSE(plan_of(4096, 64, 4, 66).full) << "loads of eight bytes";
  EXPECT_TRUE(plan_of(4096, 64, 4, 68, 16).full);
  EXPECT_EQ(plan_of(1 << 20, 16).together, 2);
  EXPECT_TRUE(plan_of((1 << 20) + 128, 16).full);
  EXPECT_FALSE(plan_of((1 << 20) + 64, 16).full) << "half of a block that takes two rows at once";
}

TEST(RowPlan, NumbersOf32BitsAreForFewerThan2To31Elements) {
  constexpr i64 kMost = i64{1} << 31;
  EXPECT_FALSE(plan_of(kMost / 64, 64).full);
  EXPECT_TRUE(plan_of(kMost / 64 - 32, 64).full);
  EXPECT_FALSE(plan_of(32, 64, 4, kMost / 32).full) << "gaps count";
  EXPECT_TRUE(plan_of(32, 64, 4, kMost / 32 - 4).full);
}

TEST(RowPlan, ThreadsHaveSeveralLoadsInFlight) {
  EXPECT_EQ(plan_of(1 << 20, 128, 2).lanes, 8);
  EXPECT_EQ(plan_of(1 << 20, 128, 2).loads, 2);
  EXPECT_EQ(plan_of(1 << 20, 64, 2).lanes, 8) << "128 bytes side by side, no less";
  EXPECT_EQ(plan_of(1 << 20, 64, 2).loads, 1);
  EXPECT_EQ(plan_of(1 << 20, 16).lanes, 4);
  EXPECT_EQ(plan_of(1 << 20, 16).loads, 1);
  EXPECT_EQ(plan_of(1 << 20, 16).together, kTogether);
  EXPECT_EQ(plan_of(1000, 16).together, 1) << "more blocks instead";
  EXPECT_EQ(plan_of(64, 1024).loads, kFewLoads);
  EXPECT_EQ(plan_of(64, 1024).threads, 128);
  EXPECT_EQ(plan_of(8192, 8192).loads, kLoads);
  EXPECT_EQ(plan_of(8192, 8192, 2).threads, 256);
  EXPECT_EQ(plan_of(8192, 4096, 2).loads, kFewLoads);
  EXPECT_EQ(plan_of(8192, 8191).threads, kMostThreads) << "step by step";
}

TEST(RowPlan, RowsOfWholeLoadsAreInFlightAtOnce) {
  const auto whole = [](i64 rows, i64 columns, int bytes = 4, i64 stride = 0,
                        std::uintptr_t address = 0) {
    return plan_of(rows, columns, bytes, stride, address).whole;
  };
  EXPECT_TRUE(whole(8192, 8192));
  EXPECT_FALSE(whole(8192, 8196)) << "more than 512 threads have";
  EXPECT_TRUE(whole(8192, 16'384, 2));
  EXPECT_TRUE(whole(1, 8192)) << "rather than two blocks and a ticket";
  EXPECT_TRUE(whole(64, 512));
  EXPECT_FALSE(whole(64 << 10, 512)) << "for warps";
  EXPECT_FALSE(whole(8192, 8190));
  EXPECT_FALSE(whole(8192, 8192, 4, 8194)) << "the second row begins within 16 bytes";
  EXPECT_TRUE(whole(8192, 8192, 4, 8196));
  EXPECT_FALSE(whole(8192, 8192, 4, 8192, 8));
}

TEST(RowPlan, WhoHasARowAtOnceHasAThreadForEachLoad) {
  int whole = 0;
  for (const int bytes : {2, 4})
    for (const i64 rows : {1, 131, 529, 1 << 24})
      for (i64 packs = 1; packs < 3000; packs += 1 + packs / 5) {
        const Plan p = plan_of(rows, packs * 16 / bytes, bytes);
        if (!p.whole) continue;
        ++whole;
        EXPECT_TRUE(p.team == Team::block && p.width == 16 / bytes) << p.text();
        EXPECT_TRUE(p.threads % 32 == 0 && p.threads <= kWholeThreads) << p.text();
        EXPECT_GE(p.threads * p.loads, packs) << p.text();
        EXPECT_LT((p.threads - 32) * p.loads, packs) << "no warp is idle: " << p.text();
      }
  EXPECT_GT(whole, 50);
}

TEST(RowPlan, LoadsAreAsWideAsEachRowAllows) {
  EXPECT_EQ(plan_of(100, 8).width, 4);
  EXPECT_EQ(plan_of(100, 6).width, 2);
  EXPECT_EQ(plan_of(100, 7).width, 1);
  EXPECT_EQ(plan_of(100, 8, 4, 9).width, 1);
  EXPECT_EQ(plan_of(100, 8, 4, 8, 8).width, 2);
  EXPECT_EQ(plan_of(100, 4, 2).width, 4);
  EXPECT_EQ(plan_of(100, 8191).width, 4) << "single elements at the ends alone";
}

// Whatever the shape: each column belongs to one piece, no piece is empty, blocks are whole warps,
// a row's lanes have room for it, and all that is full is: lanes, loads and blocks.
TEST(RowPlan, CoversEachRowOnce) {
  std::set<i64> lengths;
  for (i64 columns = 0; columns < 20'000'000; columns += 1 + columns * 7 / 5)
    lengths.insert(columns);
  for (i64 columns = 4; columns < 600; columns += 4) lengths.insert(columns);  // whole loads
  int full = 0;
  for (const int bytes : {2, 4})
    for (const i64 rows : {i64{0}, i64{1}, i64{3}, i64{131}, i64{512}, i64{528}, i64{529},
                           i64{4096}, (i64{1} << 20) + 128, i64{1} << 24})
      for (const i64 columns : lengths) {
        const Plan p = plan_of(rows, columns, bytes);
        EXPECT_GE(p.pieces * p.piece, columns) << p.text();
        EXPECT_TRUE(p.pieces == 1 || (p.pieces - 1) * p.piece < columns) << p.text();
        EXPECT_TRUE(p.threads % 32 == 0 && p.threads >= 32) << p.text();
        EXPECT_LE(p.threads, p.whole ? kWholeThreads : kMostThreads) << p.text();
        EXPECT_TRUE(p.team != Team::lanes || p.lanes * p.loads * p.width >= columns) << p.text();
        EXPECT_TRUE(p.lanes >= 1 && 32 % p.lanes == 0) << p.text();
        EXPECT_TRUE(p.loads == 1 || p.together == 1) << p.text();
        EXPECT_EQ(p.pieces > 1, p.team == Team::blocks) << p.text();
        if (!p.full) continue;
        ++full;
        EXPECT_EQ(p.team, Team::lanes) << p.text();
        EXPECT_EQ(p.width, 16 / bytes) << p.text();
        EXPECT_EQ(p.lanes * p.loads * p.width, columns) << p.text();
        EXPECT_EQ(rows % (p.threads / p.lanes * p.together), 0) << p.text();
      }
  EXPECT_GT(full, 50);
}

// Many short rows, of which a team of lanes has two in flight: not all loads wide, or all teams
// full. And rows that a block takes step by step.
constexpr Case kOwnCases[] = {matrix("sum", "bf16", 16'901, 31),
                              matrix("sum", "fp32", 33'797, 18),
                              matrix("sum", "fp32", 67'589, 20),
                              matrix("sum", "fp32", 541'184, 4),
                              matrix("sum", "fp32", 270'336, 8),
                              matrix("max", "fp32", 135'168, 16),
                              matrix("sum", "fp32", 67'584, 32),
                              matrix("mean", "bf16", 69'701, 31),
                              special("max", "fp32", "negative", 21'121, 49),
                              view("max", "fp32", 21'121, 49, 49, 3),
                              view("sum", "bf16", 69'701, 31, 31, 7),
                              special("max", "fp32", "negative", 535, 8196)};

// The kernel that all_shapes.cu launches, and its type. Of maxima of negative numbers a thread
// without an element must make nothing else: each kernel has such threads, but where all lanes are
// full.
std::set<std::string> ways_of(i64 rows, i64 columns, const Placement& x, bool negative) {
  const Plan p = plan_rows(rows, columns, x, 132);
  const int bytes = x.element_bytes;
  std::string team = "a warp", loads = fmt::format("{} loads", p.loads);
  if (p.team == Team::lanes) team = p.full ? "full lanes" : "lanes";
  if (p.team == Team::staged) team = "shared memory";
  if (p.team == Team::block) team = "a block";
  if (p.team == Team::blocks) team = "blocks";
  std::set<std::string> ways = {fmt::format("{}, {} bits", team, 8 * bytes)};
  if (p.team == Team::lanes) {
    const std::string width =
        p.width > 1 ? std::to_string(p.width * bytes) + " bytes" : "1 element";
    loads = p.full ? fmt::format("{} of them, {}, {} rows", p.lanes, loads, p.together)
                   : fmt::format("{} of {}, {} rows", loads, width, p.together);
  } else {
    loads += p.whole                                        ? ", whole rows"
             : even_width(columns, x) * bytes == kLoadBytes ? ", even rows"
                                                            : ", odd rows";
  }
  ways.insert(fmt::format("{}, {}", team, loads));
  if (negative && !p.full && p.together == 1)
    ways.insert(fmt::format("{}, {}, negative maxima", team, loads));
  return ways;
}

TEST(RowPlan, EachWayHasATestCase) {
  std::set<std::string> all;
  for (const int bytes : {2, 4})
    for (const i64 rows : {1, 528, 529, 2112, 1 << 16, 1 << 20})
      for (i64 columns = 1; columns < 10'000'000; columns += columns < 300 ? 1 : columns)
        for (const i64 gap : {0, 2, 4})
          all.merge(ways_of(rows, columns, {bytes, columns + gap, 0}, true));
  expect_a_case_for_each(all, tested<InnerAxis>(kOwnCases), [](const Case& c) {
    const int bytes = static_cast<int>(InnerAxis::element_bytes(c.word("dtype")));
    if (c["rows"] == 0) return std::set<std::string>{};
    const auto address = static_cast<std::uintptr_t>(c.get("late", 0) * bytes);
    return ways_of(c["rows"], c["columns"], {bytes, c.get("stride", c["columns"]), address},
                   std::string_view(c.word("values")) == "negative");
  });
}

TEST(RowPlan, CasesHaveTheWordsThatThereAre) {
  const Variant& variant = linked("cpu");
  expect_unknown(variant, special("max", "fp32", "nagative", 3, 4));
  expect_unknown(variant, special("sum", "fp32", "negative", 3, 4));
}

struct Matrix : SumsThatRound<InnerAxis::Args> {
  Matrix(Backend& backend, i64 rows, i64 columns) : SumsThatRound(backend, rows, columns, rows) {}
};

// One for each team, with few loads and with more; blocks that have all of a row and such that take
// steps.
constexpr std::pair<i64, i64> kShapes[] = {{5000, 16},     {5000, 60},    {4096, 128}, {4000, 500},
                                           {3000, 1032},   {3000, 1030},  {600, 5000}, {600, 5001},
                                           {3, 1'000'003}, {1, 3'000'001}};

void expect_same_bits(Backend& backend, const Variant& variant) {
  for (const auto& [rows, columns] : kShapes) {
    SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
    Matrix m(backend, rows, columns);
    expect_same_bits(backend, variant, m);
  }
}

TEST(Rows, OfManyShortOnesAreRight) { expect_right(*make_cpu_backend(), linked("cpu"), kOwnCases); }

TEST(Rows, HaveTheSameBitsOnAnyNumberOfCores) {
  expect_same_bits(*make_cpu_backend(), linked("cpu"));
}

TEST(Rows, SumsThatDependOnTheNumberOfThreadsAreSeen) {
  expect_other_bits<InnerAxis>(matrix("sum", "fp32", 3, 5000), [](const InnerAxis::Args& p) {
    for (i64 row = 0; row < p.rows; ++row) {
      float sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
      for (i64 column = 0; column < p.columns; ++column)
        sum += static_cast<const float*>(p.x)[row * p.stride + column];
      static_cast<float*>(p.y)[row] = sum;
    }
  });
}

#ifdef WB_WITH_CUDA
using RowsCuda = OnGpu;

// Variants whose blocks share rows.
constexpr const char* kShared[] = {"optimized", "all_shapes"};

TEST_F(RowsCuda, OfManyShortOnesAreRight) {
  for (const char* name : kShared) expect_right(*backend_, linked("cuda", name), kOwnCases);
}

TEST_F(RowsCuda, HaveTheSameBitsOnEveryRunBesideOtherWork) {
  for (const char* name : kShared) expect_same_bits(*backend_, linked("cuda", name));
}

TEST_F(RowsCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  Matrix a(*backend_, 3, 1'000'003), b(*backend_, 5, 300'007);
  for (const char* name : kShared) expect_undisturbed(*backend_, linked("cuda", name), a, b);
}

// 2^31 + 14 elements of bf16, multiples of 1/16 from -1/2 to 1/2 in a pattern of 17, whose sum is
// 0. So the sum of a row is that of its last elements, after the last whole pattern.
TEST_F(RowsCuda, MoreThan2To31ElementsAreReduced) {
  constexpr i64 kRows = 2, kColumns = (i64{1} << 30) + 7, kPatterns = 17 << 20;
  constexpr std::size_t kBytes = kRows * kColumns * sizeof(bfloat16);
  if (static_cast<double>(backend_->free_bytes(Space::device)) < 1.25 * kBytes)
    GTEST_SKIP() << "needs 5 GiB of memory";
  std::vector<bfloat16> pattern(kPatterns);
  for (i64 i = 0; i < kPatterns; ++i) pattern[i] = bfloat16(static_cast<double>(i % 17 - 8) / 16);
  auto* const x = static_cast<bfloat16*>(backend_->allocate(kBytes, Space::device));
  void* const y = backend_->allocate(kRows * sizeof(bfloat16), Space::device);
  for (i64 row = 0; row < kRows; ++row)
    for (i64 at = 0; at < kColumns; at += kPatterns)
      backend_->upload(x + row * kColumns + at, pattern.data(),
                       std::min(kPatterns, kColumns - at) * sizeof(bfloat16), Space::device);
  double want = 0;
  for (i64 i = kColumns / 17 * 17; i < kColumns; ++i) want += pattern[i % 17];
  const InnerAxis::Args args{Operation::sum, "bf16", kRows, kColumns, kColumns, x, y};
  for (const char* name : kShared) {
    backend_->fill(y, 0xFF, kRows * sizeof(bfloat16), Space::device);
    linked("cuda", name).make (&args)(backend_->stream());
    backend_->synchronize_stream();
    std::vector<bfloat16> got(kRows);
    backend_->download(got.data(), y, kRows * sizeof(bfloat16), Space::device);
    for (const bfloat16 sum : got) EXPECT_EQ(static_cast<double>(sum), want) << name;
  }
  backend_->release(x, Space::device), backend_->release(y, Space::device);
}
#endif

}  // namespace
}  // namespace wb
