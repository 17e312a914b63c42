// Of ch3_reductions/06_softmax: who takes a row; and what its own tests can't show: the same bits
// on every run, two streams at a time, and more than 2^31 elements.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "../softmax/any_shape/plan.h"
#include "cases.h"
#include "device/backends.h"
#include "on_gpu.h"
#include "same_bits.h"
#include "softmax.h"

namespace wb {
namespace {

Plan plan_of(i64 rows, i64 columns, bool even = true, int bytes = 4, bool backward = false,
             int most_cluster = 16) {
  // Rows that begin anywhere have gaps between them.
  return plan_rows({backward, rows, columns, bytes, even ? columns : columns + 1, 0},
                   {132, most_cluster});
}
// Of rows one after the other, the first one `late` elements behind a multiple of 16 bytes.
Plan staged_of(i64 rows, i64 columns, int bytes = 4, i64 late = 0) {
  return plan_rows({false, rows, columns, bytes, columns, late}, {132, 16});
}

TEST(Softmax, AMaximumThatStartsFromZeroIsCaught) {
  expect_caught_by<Softmax>("offset", *make_cpu_backend(), [](const Softmax::Args& p) {
    const auto* x = static_cast<const float*>(p.x);  // all of these cases are fp32
    auto* out = static_cast<float*>(p.out);
    for (i64 row = 0; row < p.rows; ++row, x += p.stride, out += p.stride) {
      float most = 0, sum = 0;
      for (i64 i = 0; i < p.columns; ++i) most = std::max(most, x[i]);
      for (i64 i = 0; i < p.columns; ++i) sum += std::exp(x[i] - most);
      for (i64 i = 0; i < p.columns; ++i) out[i] = std::exp(x[i] - most) / sum;
    }
  });
}

// One sum in fp32, as a student writes it first, is right in long rows, whatever profile is drawn.
TEST(Softmax, APlainSumOfALongRowIsRight) {
  const auto backend = make_cpu_backend();
  const Variant plain = variant_of<Softmax>(*backend, [](const Softmax::Args& p) {
    const auto* x = static_cast<const float*>(p.x);
    auto* out = static_cast<float*>(p.out);
    for (i64 row = 0; row < p.rows; ++row, x += p.stride, out += p.stride) {
      const float most = *std::max_element(x, x + p.columns);
      float sum = 0;
      for (i64 i = 0; i < p.columns; ++i) sum += std::exp(x[i] - most);
      for (i64 i = 0; i < p.columns; ++i) out[i] = std::exp(x[i] - most) / sum;
    }
  });
  expect_right_with_profiles(*backend, plain, matrix("softmax", "fp32", 2, 100'003), "inf");
}

// As integers, the bits of negative numbers rise as these fall.
TEST(Softmax, AMaximumOfBitsIsCaught) {
  const auto wrong = [](const Softmax::Args& p) {
    const auto* x = static_cast<const float*>(p.x);
    auto* out = static_cast<float*>(p.out);
    for (i64 row = 0; row < p.rows; ++row, x += p.stride, out += p.stride) {
      auto most = std::bit_cast<std::int32_t>(x[0]);
      for (i64 i = 1; i < p.columns; ++i) most = std::max(most, std::bit_cast<std::int32_t>(x[i]));
      const float max = std::bit_cast<float>(most);
      float sum = 0;
      for (i64 i = 0; i < p.columns; ++i) sum += std::exp(x[i] - max);
      for (i64 i = 0; i < p.columns; ++i) out[i] = std::exp(x[i] - max) / sum;
    }
  };
  for (const i64 columns : {31, 1000})
    expect_caught_by_profile<Softmax>(
        "below", {{"op", "softmax"}, {"dtype", "fp32"}, {"rows", 64}, {"columns", columns}},
        *make_cpu_backend(), wrong);
}

TEST(SoftmaxPlan, GoesByTheLengthOfARowAndTheirNumber) {
  EXPECT_EQ(plan_of(4 << 20, 16).team, Team::lanes);
  EXPECT_EQ(plan_of(4 << 20, 16).lanes, 4);
  EXPECT_EQ(plan_of(4 << 20, 17, false).lanes, 32) << "a lane per element";
  EXPECT_EQ(plan_of(4 << 20, 33, false).team, Team::warp);
  EXPECT_EQ(plan_of(256 << 10, 256).team, Team::warp);
  EXPECT_EQ(plan_of(64 << 10, 1024, true, 2).team, Team::warp);
  EXPECT_EQ(plan_of(32, 1024).team, Team::block) << "too few rows for warps";
  EXPECT_EQ(plan_of(131, 1024).threads, 128) << "a row per multiprocessor: more threads for it";
  EXPECT_EQ(plan_of(132, 1024).threads, 64);
  EXPECT_EQ(plan_of(131, 8193, false).threads, 288) << "more than 1024 threads would have";
  EXPECT_EQ(plan_of(8192, 8192, true, 2, true).elements, 32) << "two arrays of 16-bit elements";
  EXPECT_EQ(plan_of(8192, 8192, true, 4, true).elements, 16);
  EXPECT_EQ(plan_of(8192, 8191, false).team, Team::block);
  EXPECT_EQ(plan_of(1024, 64 << 10).cluster, 2);
  EXPECT_EQ(plan_of(128, 512 << 10).cluster, 16);
  EXPECT_EQ(plan_of(128, 512 << 10, true, 4, true).cluster, 16);
  EXPECT_EQ(plan_of(128, (512 << 10) + 1).team, Team::blocks);
  EXPECT_EQ(plan_of(1, 30'000).cluster, 8) << "few rows: more multiprocessors for each";
}

TEST(SoftmaxPlan, ShortRowsThatWouldLeaveLanesIdleAreStaged) {
  EXPECT_EQ(staged_of(435'814, 18, 2).text(),
            "128 rows per block through shared memory, 1 lane per row: short rows that would leave "
            "lanes idle");
  EXPECT_EQ(staged_of(435'814, 18, 2).width, 2) << "words of two elements";
  EXPECT_EQ(staged_of(435'814, 18, 2, 1).width, 1) << "a word would begin in the middle of one";
  EXPECT_EQ(staged_of(435'814, 17, 2).width, 1);
  EXPECT_EQ(staged_of(1'691'272, 3).own, 640);
  EXPECT_EQ(staged_of(236'972, 40).team, Team::staged) << "10 of 16 lanes would have a load";
  EXPECT_EQ(staged_of(1 << 20, 28).team, Team::lanes) << "7 of 8";
  EXPECT_EQ(staged_of(1 << 20, 28, 4, 1).team, Team::staged);
  EXPECT_EQ(staged_of(1 << 20, 33).lanes, 4) << "16 elements per lane at most";
  EXPECT_EQ(staged_of(46'606, 254).team, Team::warp);
  EXPECT_EQ(staged_of(46'606, 200).team, Team::staged);
  EXPECT_EQ(staged_of(46'606, 512, 2).team, Team::staged) << "32 per lane, and it has 16";
  EXPECT_EQ(staged_of(46'606, 513, 2).team, Team::warp);
  EXPECT_EQ(plan_of(46'606, 31, false).team, Team::lanes) << "gaps between rows";
}

// What a stage has to keep to: all of a row has a place in registers, all rows have one in shared
// memory, a turn is a row for each team, and few lanes meet in a bank.
std::string wrong_with(const Stage& s, i64 columns, int bytes) {
  const int teams = kStageThreads / s.lanes, units = static_cast<int>(columns) / s.width;
  if (columns % s.width != 0) return "a unit that two rows share";
  if (units > s.lanes * kStageUnits) return "elements without a place in registers";
  if (s.rows * columns * bytes > kStageBytes) return "rows without a place in shared memory";
  if (s.rows % teams != 0) return "a turn that not all teams have a row in";
  if (s.lanes > 32) return "more lanes than a warp has";
  std::map<int, std::set<int>> words;  // of each bank, that a warp asks for together
  for (int i = 0; i < 32; ++i) {
    const int unit = i / s.lanes * units + i % s.lanes;
    if (i % s.lanes >= units) continue;
    const int word = unit * s.width * bytes / 4;
    words[word % kStageBanks].insert(word);
  }
  for (const auto& [bank, all] : words)
    if (all.size() > 5) return fmt::format("{} words of bank {}", all.size(), bank);
  return "";
}

TEST(SoftmaxPlan, AStageHasRoomForItsRows) {
  for (const int bytes : {2, 4})
    for (const i64 late : {0, 1, 2})
      for (const i64 rows : {i64{1}, i64{131}, i64{20'011}, i64{1} << 24})
        for (i64 columns = 1; columns <= kStageColumns; ++columns)
          EXPECT_EQ(wrong_with(stage_rows(rows, columns, bytes, late, 132), columns, bytes), "")
              << columns << " columns of " << bytes << " bytes";
}

TEST(SoftmaxPlan, AWrongStageIsCaught) {
  EXPECT_EQ(wrong_with({128, 1, 2}, 17, 2), "a unit that two rows share");
  EXPECT_EQ(wrong_with({64, 2, 1}, 33, 4), "elements without a place in registers");
  EXPECT_EQ(wrong_with({768, 1, 1}, 3, 4), "rows without a place in shared memory");
  EXPECT_EQ(wrong_with({600, 1, 1}, 3, 4), "a turn that not all teams have a row in");
  EXPECT_EQ(wrong_with({2, 64, 1}, 512, 4), "more lanes than a warp has");
  EXPECT_EQ(wrong_with({128, 1, 1}, 16, 4), "16 words of bank 0") << "no row begins elsewhere";
}

TEST(SoftmaxPlan, DoesWithWhatTheMachineHas) {
  EXPECT_EQ(plan_of(128, 256 << 10, true, 4, false, 8).cluster, 8);
  EXPECT_EQ(plan_of(128, 512 << 10, true, 4, false, 8).team, Team::blocks);
  EXPECT_EQ(plan_of(8192, 32 << 10, true, 4, false, 0).team, Team::block);
  EXPECT_EQ(plan_of(1024, 64 << 10, true, 4, false, 0).team, Team::blocks);
}

// Whatever the shape: a team has room for its row, and no piece is empty.
TEST(SoftmaxPlan, CoversEachRow) {
  for (const bool backward : {false, true})
    for (const bool even : {false, true})
      for (const int bytes : {2, 4})
        for (const int most_cluster : {0, 8, 16})
          for (const i64 rows : {i64{1}, i64{3}, i64{131}, i64{2112}, i64{1} << 24})
            for (i64 columns = 8; columns < 20'000'000; columns += 1 + columns * 7 / 5) {
              const i64 whole = even ? columns / 8 * 8 : columns;
              const Plan p = plan_of(rows, whole, even, bytes, backward, most_cluster);
              const i64 each = p.team == Team::lanes ? p.width : p.elements;
              const bool some_lanes = p.team == Team::lanes || p.team == Team::staged;
              const i64 threads = some_lanes ? p.lanes : p.team == Team::warp ? 32 : p.threads;
              const bool one = p.team == Team::blocks;
              EXPECT_GE(one ? p.pieces * p.piece : each * threads * p.cluster, whole) << p.text();
              EXPECT_TRUE(!one || (p.pieces - 1) * p.piece < whole) << p.text();
              EXPECT_TRUE(p.threads % 32 == 0 && p.threads <= kMostThreads) << p.text();
              EXPECT_TRUE(p.cluster == 1 || p.cluster <= most_cluster) << p.text();
            }
}

// Many long rows for warps; so many short ones that a block takes its share turn by turn; gradients
// of rows that no cluster keeps; and what is so large that on a CPU the results go past the caches.
constexpr Case kOwnCases[] = {matrix("softmax", "fp32", 2113, 901),
                              matrix("backward", "bf16", 2113, 520),
                              special("backward", "bf16", "peaks", 1, 524'301),
                              special("backward", "fp32", "peaks", 1, 524'304),
                              view("softmax", "fp32", 1031, 4099, 4107, 3),
                              view("backward", "fp32", 700, 4099, 4107, 5),
                              matrix("backward", "bf16", 435'814, 18),
                              matrix("softmax", "fp32", 1'691'272, 3),
                              matrix("softmax", "fp32", 236'972, 40),
                              view("softmax", "bf16", 200'003, 5, 5, 1)};

// The kernel that all_shapes.cu launches; and how large its cluster is.
std::set<std::string> ways_of(const Shape& s) {
  const Plan p = plan_rows(s, {132, 16});
  std::set<std::string> ways;
  std::string who;
  switch (p.team) {
    case Team::lanes: who = p.width > 1 ? "lanes, wide" : "lanes, single elements"; break;
    case Team::staged: who = fmt::format("staged, {} per access", p.width); break;
    case Team::warp: who = fmt::format("warps, {} elements", p.elements); break;
    case Team::block:
      who = fmt::format("blocks, {} elements", p.elements);
      if (!s.backward && p.width > 1 && p.elements == kFewElements) who = "few blocks, even rows";
      break;
    case Team::cluster:
      who = "clusters";
      ways.insert(fmt::format("clusters of {}", p.cluster));
      break;
    case Team::blocks: who = "pieces"; break;
  }
  const char* pass = s.backward ? "backward" : "forward";
  ways.insert(fmt::format("{}, {} bits, {}", pass, 8 * s.element_bytes, who));
  return ways;
}

TEST(SoftmaxPlan, EachWayHasATestCase) {
  std::set<std::string> all;
  for (const bool backward : {false, true})
    for (const int bytes : {2, 4})
      for (const bool even : {false, true})
        for (const i64 rows : {1, 33, 66, 132, 2112})
          for (i64 columns = 8; columns < 2'000'000; columns += 1 + columns / 8)
            for (const int gap : {0, 8}) {
              const i64 whole = even ? columns / 8 * 8 : columns;
              all.merge(ways_of({backward, rows, whole, bytes, whole + gap, even ? 0 : 1}));
            }
  expect_a_case_for_each(all, tested<Softmax>(kOwnCases), [](const Case& c) {
    const int bytes = static_cast<int>(Softmax::element_bytes(c.word("dtype")));
    const i64 rows = c["rows"], columns = c["columns"];
    if (rows * columns == 0) return std::set<std::string>{};
    return ways_of({std::string_view(c.word("op")) == "backward", rows, columns, bytes,
                    c.get("stride", columns), c.get("late", 0)});
  });
}

struct Matrix {
  Matrix(Backend& backend, bool backward, i64 rows, i64 columns)
      : backend(backend), bytes(rows * columns * sizeof(float)) {
    for (void*& array : arrays) array = backend.allocate(bytes, Space::device);
    std::vector<float> values(rows * columns);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 8 * static_cast<float>(uniform(7, i));
    backend.upload(arrays[0], values.data(), bytes, Space::device);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(uniform(8, i));
    backend.upload(arrays[1], values.data(), bytes, Space::device);
    args = {backward, false, "fp32", "", rows, columns, columns, arrays[0], arrays[1], arrays[2]};
  }
  Matrix(const Matrix&) = delete;
  ~Matrix() {
    for (void* array : arrays) backend.release(array, Space::device);
  }
  void poison() { backend.fill(arrays[2], 0xFF, bytes, Space::device); }
  std::vector<float> got() const {
    std::vector<float> values(bytes / sizeof(float));
    backend.download(values.data(), arrays[2], bytes, Space::device);
    return values;
  }
  Backend& backend;
  std::size_t bytes;
  void* arrays[3];
  Softmax::Args args;
};

// One for each team.
constexpr std::pair<i64, i64> kShapes[] = {{5000, 60}, {5000, 33},   {4000, 500},
                                           {40, 5000}, {7, 100'003}, {3, 700'001}};

void expect_same_bits(Backend& backend, const Variant& variant) {
  for (const bool backward : {false, true})
    for (const auto& [rows, columns] : kShapes) {
      SCOPED_TRACE(fmt::format("{} x {}", rows, columns));
      Matrix m(backend, backward, rows, columns);
      expect_same_bits(backend, variant, m);
    }
}

TEST(SoftmaxRows, OfLargerMatricesAreRight) {
  expect_right(*make_cpu_backend(), linked("cpu"), kOwnCases);
}

TEST(SoftmaxRows, HaveTheSameBitsOnAnyNumberOfCores) {
  const auto backend = make_cpu_backend();
  expect_same_bits(*backend, linked("cpu"));
}

#ifdef WB_WITH_CUDA
using SoftmaxRowsCuda = OnGpu;

TEST_F(SoftmaxRowsCuda, OfLargerMatricesAreRight) {
  expect_right(*backend_, linked("cuda", "all_shapes"), kOwnCases);
}

TEST_F(SoftmaxRowsCuda, HaveTheSameBitsOnEveryRunBesideOtherWork) {
  expect_same_bits(*backend_, linked("cuda", "all_shapes"));
}

// Too long for clusters, so each has scratch; and two clusters' worth of rows beside them.
TEST_F(SoftmaxRowsCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  for (const i64 columns : {i64{700'001}, i64{300'007}}) {
    Matrix a(*backend_, false, 5, columns), b(*backend_, true, 3, columns + 2);
    expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b);
  }
}

// Clusters with more and with less shared memory: the limit that a set-up asks for is that of the
// kernel.
TEST_F(SoftmaxRowsCuda, SetUpsOfOtherSizesDoNotDisturbEachOther) {
  for (const bool backward : {false, true}) {
    Matrix a(*backend_, backward, 7, 524'288), b(*backend_, backward, 9, 20'000);
    expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b, 5);
  }
}

// Its packs of x are those of dy and of out.
TEST_F(SoftmaxRowsCuda, ArraysThatDoNotLieAlikeAreRefused) {
  Matrix m(*backend_, true, 3, 5000);
  const Softmax::Args alike = m.args;
  EXPECT_NO_THROW(linked("cuda", "all_shapes").make(&alike));
  Softmax::Args late_dy = alike, late_out = alike;
  late_dy.dy = static_cast<const float*>(alike.dy) + 1;
  late_out.out = static_cast<float*>(alike.out) + 1;
  for (const Softmax::Args& args : {late_dy, late_out})
    EXPECT_THROW(linked("cuda", "all_shapes").make(&args), std::invalid_argument);
}

// 2^31 + 2^20 - 4098 elements of bf16. All are 0, but for the last of the last row, so the results
// are 1 / columns, and 1 there.
TEST_F(SoftmaxRowsCuda, MoreThan2To31Elements) {
  constexpr i64 kRows = 4098, kColumns = (i64{1} << 19) - 1;
  constexpr std::size_t kBytes = kRows * kColumns * sizeof(bfloat16);
  if (static_cast<double>(backend_->free_bytes(Space::device)) < 2.5 * kBytes)
    GTEST_SKIP() << "needs 11 GiB of memory";
  auto* const x = static_cast<bfloat16*>(backend_->allocate(kBytes, Space::device));
  auto* const y = static_cast<bfloat16*>(backend_->allocate(kBytes, Space::device));
  const bfloat16 large(100.0), want(1.0 / kColumns);
  backend_->fill(x, 0, kBytes, Space::device), backend_->fill(y, 0xFF, kBytes, Space::device);
  backend_->upload(x + kRows * kColumns - 1, &large, sizeof large, Space::device);
  const Softmax::Args args{false, false, "bf16", "", kRows, kColumns, kColumns, x, nullptr, y};
  linked("cuda", "all_shapes").make (&args)(backend_->stream());
  backend_->synchronize_stream();
  std::vector<bfloat16> got(kColumns);
  for (i64 row = 0; row < kRows; ++row) {
    backend_->download(got.data(), y + row * kColumns, kColumns * sizeof(bfloat16), Space::device);
    i64 wrong = 0;
    for (i64 i = 0; i < kColumns; ++i)
      wrong += row + 1 < kRows ? got[i].bits != want.bits
                               : static_cast<float>(got[i]) != (i + 1 < kColumns ? 0 : 1);
    ASSERT_EQ(wrong, 0) << "row " << row;
  }
  backend_->release(x, Space::device), backend_->release(y, Space::device);
}
#endif

}  // namespace
}  // namespace wb
