// Of ch3_reductions/04_multi_axis and 05_sum_to_shape: how axes are collapsed and a kernel is
// chosen, against brute force; words that say no axes; and what the lessons' own tests can't show,
// for their shapes are listed and their additions never round: random shapes, the same bits on
// every run where additions round, two streams at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../reduce_axes/plan.h"
#include "cases.h"
#include "device/backends.h"
#include "multi_axis.h"
#include "on_gpu.h"
#include "same_bits.h"

namespace wb {
namespace {

Shape shape_of(const char* sizes, const char* axes) {
  Shape shape = parse_shape(sizes);
  parse_axes(shape, axes);
  return shape;
}
std::string collapsed(const char* sizes, const char* axes) {
  return collapse(shape_of(sizes, axes)).text();
}
Plan plan_of(const char* sizes, const char* axes, int bytes = 4, std::uintptr_t address = 0) {
  return plan_axes(collapse(shape_of(sizes, axes)), bytes, address, 132);
}

TEST(Axes, NeighboursOfOneKindAreOneGroup) {
  EXPECT_EQ(collapsed("64x128x64x128", "0,2"), "[64] 128 [64] 128");
  EXPECT_EQ(collapsed("64x128x64x128", "0,1"), "[8192] 8192");
  EXPECT_EQ(collapsed("64x128x64x128", "1,2"), "64 [8192] 128");
  EXPECT_EQ(collapsed("64x128x64x128", "2,3"), "8192 [8192]");
  EXPECT_EQ(collapsed("32x256x56x56", "0,2,3"), "[32] 256 [3136]");
  EXPECT_EQ(collapsed("3x1x5", "0,2"), "[15]") << "an axis of size 1 keeps nobody apart";
  EXPECT_EQ(collapsed("1x1", "0"), "1");
  EXPECT_EQ(collapsed("7x5", "none"), "35");
}

TEST(Axes, GoByTheInnermostGroup) {
  EXPECT_EQ(plan_of("64x128x64x128", "0,2").text(),
            "[64] 128 [64] 128: columns, 512 threads, 16 across, 4 loads of 4");
  EXPECT_EQ(plan_of("128x4096x128", "0,2").text(),
            "[128] 4096 [128]: rows, 1024 threads, 4 loads of 4, all at once");
  EXPECT_EQ(plan_of("5x1x7", "1").kernel, Kernel::copy);
  EXPECT_EQ(plan_of("1000003x6", "1").text(), "1000003 [6]: rows, 4 threads, loads of 4, masked");
  EXPECT_EQ(plan_of("64x128", "0", 4, 4).width, 1) << "not at a multiple of 16 bytes";
  EXPECT_TRUE(plan_of("64x128", "1", 4, 4).odd);
}

TEST(Axes, RowsThatABlockHasLoadsForAreInFlightAtOnce) {
  EXPECT_EQ(plan_of("8192x8192", "1").text(),
            "8192 [8192]: rows, 512 threads, 4 loads of 4, all at once");
  EXPECT_EQ(plan_of("8192x8192", "1", 2).threads, 256);
  EXPECT_EQ(plan_of("8192x8196", "1").threads, 544);
  EXPECT_EQ(plan_of("64x16384", "1").threads, 1024);
  EXPECT_TRUE(plan_of("64x16384", "1").whole) << "rather than two blocks and a ticket";
  EXPECT_FALSE(plan_of("64x16388", "1").whole);
  EXPECT_TRUE(plan_of("64x32768", "1", 2).whole);
  EXPECT_FALSE(plan_of("8192x8190", "1").whole) << "odd";
  EXPECT_FALSE(plan_of("8192x8192", "1", 4, 4).whole);
  EXPECT_EQ(plan_of("100x516", "1").threads, 64) << "more than a warp has with four loads";
  EXPECT_FALSE(plan_of("100x512", "1").whole);
  EXPECT_FALSE(plan_of("100000x2048", "1").whole) << "enough for all warps";
  EXPECT_TRUE(plan_of("3x5x4x7x100", "0,2,4").whole) << "wherever its rows lie";
}

TEST(Axes, LongerRowsHaveLargeBlocksWhereTheseFillTheDevice) {
  EXPECT_EQ(plan_of("32x256x56x56", "0,2,3").text(),
            "[32] 256 [3136]: rows, 512 threads, loads of 4");
  EXPECT_EQ(plan_of("64x128x64x128", "all").pieces, 263);
  EXPECT_EQ(plan_of("90112", "all").text(),
            "[90112]: rows, 256 threads, loads of 4, 11 blocks per result: too few results")
      << "rather than five of 512";
}

TEST(Axes, ColumnsAreNarrowBeforeTheyAreShared) {
  EXPECT_EQ(plan_of("64x128x64x128", "0,1").text(),
            "[8192] 8192: columns, 512 threads, 16 across, 8 loads of 4");
  EXPECT_EQ(plan_of("8192x8192", "0", 2).across, 8);
  EXPECT_EQ(plan_of("256x1024x256", "1").blocks(), 256);
  EXPECT_EQ(plan_of("256x1024x256", "1").loads, kPairLoads) << "two blocks per multiprocessor";
  EXPECT_EQ(plan_of("300x1024x128", "1").blocks(), 600) << "rather than 36 in a second wave";
  EXPECT_EQ(plan_of("64x512x1024", "0,1").text(),
            "[32768] 1024: columns, 512 threads, 16 across, 8 loads of 4, 8 blocks per result: too "
            "few results");
  EXPECT_EQ(plan_of("1000x400", "0").threads, 256) << "more blocks rather than big ones";
  EXPECT_EQ(plan_of("4001x3x8", "1").team, 2) << "many teams per block";
}

TEST(Divisor, BeyondAllNumbersGivesNothing) {
  for (const i64 by : {i64{1} << 31, i64{1} << 32, (i64{1} << 33) + 5})
    for (const unsigned n : {0u, 1u, 1u << 30, static_cast<unsigned>(INT32_MAX)})
      EXPECT_EQ(Divisor(by).quotient(n), 0u) << n << " / " << by;
}

// Of the plan alone: no array is made.
TEST(Axes, MoreThan2To31LoadsAcrossAreRefused) {
  EXPECT_FALSE(fits(plan_of("2x4294967301", "0"))) << "in 32 bits it has 5 columns";
  EXPECT_FALSE(fits(plan_of("2x3x4294967301", "1")));
  EXPECT_FALSE(fits(plan_of("2x2147483649", "0")));
  EXPECT_TRUE(fits(plan_of("2x2147483647", "0")));
  EXPECT_FALSE(fits(plan_of("2x8589934592", "0"))) << "four columns per load";
  EXPECT_TRUE(fits(plan_of("2x8589934588", "0")));
  EXPECT_TRUE(fits(plan_of("4294967301", "all"))) << "rows: four elements per load";
  EXPECT_TRUE(fits(plan_of("8589934592", "none"))) << "a copy";
}

TEST(Axes, FewOddRowsAreTakenInRunsOfOneElementPerLoad) {
  const auto runs = [](const char* sizes, const char* axes, int bytes = 4,
                       std::uintptr_t address = 0) {
    return plan_of(sizes, axes, bytes, address).runs;
  };
  EXPECT_EQ(plan_of("127x129x131", "0,2").text(),
            "[127] 129 [131]: rows, 512 threads, runs of 160, all at once: few odd rows");
  EXPECT_EQ(plan_of("127x129x131", "0,2").blocks(), 129);
  EXPECT_TRUE(runs("127x129x131", "0,2", 2));
  EXPECT_TRUE(runs("160x5001", "1"));
  EXPECT_TRUE(runs("11x13x17x131", "1,3"));
  EXPECT_FALSE(runs("129x131", "1")) << "enough for a warp";
  EXPECT_FALSE(runs("11x13x17x13x131", "0,2,4")) << "three reduced groups";

  EXPECT_FALSE(runs("127x129x132", "0,2")) << "whole loads";
  EXPECT_TRUE(runs("127x129x132", "0,2", 2));
  EXPECT_TRUE(runs("127x129x132", "0,2", 4, 4)) << "not at a multiple of 16 bytes";

  EXPECT_TRUE(runs("128x129x159", "0,2")) << "16 warps with 8 runs each";
  EXPECT_FALSE(runs("129x129x159", "0,2"));
  EXPECT_TRUE(runs("64x129x161", "0,2")) << "two per row";
  EXPECT_FALSE(runs("65x129x161", "0,2"));

  EXPECT_TRUE(runs("127x99x131", "0,2")) << "3/4 of 132 multiprocessors";
  EXPECT_FALSE(runs("127x98x131", "0,2"));
  EXPECT_TRUE(runs("127x264x131", "0,2")) << "two blocks of 512 threads on each";
  EXPECT_FALSE(runs("127x265x131", "0,2"));
  EXPECT_EQ(plan_of("32x528x49", "0,2").threads, 256) << "all blocks at a time";
  EXPECT_EQ(plan_of("32x1056x49", "0,2").threads, 128);
  EXPECT_FALSE(runs("32x1057x49", "0,2"));

  for (const char* none : {"0x129x131", "127x0x131", "127x129x0"}) EXPECT_FALSE(runs(none, "0,2"));
}

TEST(Axes, WordsThatSayNoneAreRefused) {
  for (const auto& [sizes, axes] :
       std::vector<std::pair<const char*, const char*>>{{"", "0"},
                                                        {"3x", "0"},
                                                        {"x3", "0"},
                                                        {"3 x 4", "0"},
                                                        {"-3x4", "0"},
                                                        {"3.5", "0"},
                                                        {"1x1x1x1x1x1x1x1x1", "0"},
                                                        {"1048576x1048576x2", "0"},
                                                        {"3x4", ""},
                                                        {"3x4", "2"},
                                                        {"3x4", "-3"},
                                                        {"3x4", "0,0"},
                                                        {"3x4", "1,-1"},
                                                        {"3x4", "0,"},
                                                        {"3x4", "a"},
                                                        {"99999999999999999999", "0"}})
    EXPECT_THROW(shape_of(sizes, axes), Unsupported) << sizes << " over " << axes;
  for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{
           {"3x4", "3"}, {"3x4", "1x3x4"}, {"3x4", "2x4"}, {"3x1", "3x4"}, {"3x4", "0"}})
    EXPECT_THROW(parse_broadcast(from, to), Unsupported) << from << " to " << to;
  EXPECT_EQ(shape_of("3x4x5", "-1,0").results(), 4);
  EXPECT_EQ(collapse(parse_broadcast("7x3x4x5", "4x1")).text(), "[21] 4 [5]");
}

// Rows of any length, mostly odd, about as many and as long as a GPU takes in runs.
Shape random_odd_rows(std::mt19937_64& random) {
  const auto up_to = [&](i64 n) { return static_cast<i64>(1 + random() % n); };
  const i64 results = 60 + up_to(600), row = 1 + up_to(400);
  const i64 rows = up_to(std::clamp<i64>(3'000'000 / (results * row), 1, 140));
  return {3, {rows, results, row}, {true, false, true}};
}

// A random shape of up to `most` elements, with some of its axes.
Shape random_shape(std::mt19937_64& random, i64 most) {
  const auto below = [&](i64 n) { return static_cast<i64>(random() % n); };
  Shape shape;
  shape.rank = static_cast<int>(1 + below(kMostAxes));
  for (int a = 0; a < shape.rank; ++a) {
    const i64 longest = std::min(most, below(3) ? 1 + below(9) : 1 + below(most));
    shape.size[a] = longest >= 8 && below(2) ? longest / 8 * 8 : longest;
    most /= shape.size[a];
    shape.reduced[a] = below(2);
  }
  return shape;
}

TEST(Axes, TheQuotientIsThatOfADivision) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const unsigned by = 1 + random() % (1u << (1 + random() % 31)), n = random() % (1u << 31);
    if (by > INT32_MAX) continue;
    ASSERT_EQ(Divisor(by).quotient(n), n / by) << n << " / " << by;
    ASSERT_EQ(Divisor(by).quotient(INT32_MAX), INT32_MAX / by) << by;
    ASSERT_EQ(Divisor(by).quotient(by - 1), 0u) << by;
  }
}

// Whatever the shape: the elements that the plan's teams take are all elements, each once and for
// the result that it belongs to; and results lie in y as those of the shape do.
TEST(Axes, EachElementIsTakenOnceAndForItsResult) {
  std::mt19937_64 random(17);
  int runs = 0, whole = 0;
  for (int turn = 0; turn < 600; ++turn) {
    const Shape shape = random_shape(random, 4000);
    std::vector<i64> want(shape.elements());
    for (i64 i = 0; i < shape.elements(); ++i) {
      i64 result = 0, rest = i, stride = 1;
      for (int a = shape.rank - 1; a >= 0; rest /= shape.size[a--])
        if (!shape.reduced[a]) result += rest % shape.size[a] * stride, stride *= shape.size[a];
      want[i] = result;
    }
    const int bytes = random() % 2 ? 2 : 4;
    const int multiprocessors = 1 + static_cast<int>(random() % (turn % 2 ? 150 : 4));
    const std::uintptr_t address = random() % 2 ? 0 : bytes * (random() % 8);
    const Plan p = plan_axes(collapse(shape), bytes, address, multiprocessors);
    SCOPED_TRACE(p.text());
    if (p.kernel == Kernel::copy) {
      EXPECT_EQ(shape.per_result(), 1);
      continue;
    }
    ASSERT_TRUE(fits(p));
    const bool rows = p.kernel == Kernel::rows;
    EXPECT_TRUE(p.threads % kWarp == 0 && p.threads % p.team == 0);
    EXPECT_LE(p.threads, p.whole ? kWholeThreads : rows && !p.runs ? kRowThreads : kTallThreads);
    if (p.whole) {
      ++whole;
      EXPECT_TRUE(rows && !p.odd && p.threads == p.team && p.team > kWarp && p.pieces == 1);
      EXPECT_LE(p.steps, p.threads * p.loads) << "all in flight";
      EXPECT_GT(p.steps, (p.threads - kWarp) * p.loads) << "no warp is idle";
    }
    if (p.runs) {
      ++runs;
      EXPECT_TRUE(p.threads == p.team && p.team > kWarp && p.pieces == 1);
      EXPECT_LE(p.steps, p.team / kWarp * kRuns) << "all in flight";
      EXPECT_LE(p.blocks() * p.threads, multiprocessors * kHeld) << "all blocks at a time";
    }
    EXPECT_TRUE(rows || p.pieces == 1 || p.blocks() < 2 * multiprocessors) << "one wave";
    EXPECT_TRUE(p.team <= kWarp || p.threads == p.team);
    EXPECT_EQ(p.team % p.across, 0);
    EXPECT_TRUE(p.whole || std::has_single_bit(static_cast<unsigned>(p.team)));
    EXPECT_GE(p.share * p.pieces, p.steps);
    EXPECT_LT(p.share * (p.pieces - 1), p.steps) << "no piece is empty";
    const Places kept = kept_places(p), reduced = reduced_places(p);
    const i64 inner = p.shape.group[p.shape.count - 1].size, columns = rows ? 1 : inner;
    const int late = static_cast<int>(address / bytes % p.width);
    std::vector<i64> got(shape.elements(), -1);
    for (i64 outer = 0; outer < p.outer; ++outer)
      for (i64 step = 0; step < p.steps; ++step)
        for (i64 pack = 0; pack < (rows ? 1 : p.packs); ++pack)
          for (int j = 0; j < p.width; ++j) {
            i64 element = kept.offset(outer) + reduced.offset(step) + pack * p.width + j;
            if (p.odd) {  // a load begins at a multiple of 16 bytes, at the row's begin or before
                          // it
              const i64 along = step % p.packs * p.width, begin = element - j - along;
              element -= (begin + late) % p.width;
              if (element < begin || element >= begin + inner) continue;
            }
            if (p.runs && step % p.packs * p.width + j >= inner) continue;  // after the row
            ASSERT_TRUE(element >= 0 && element < shape.elements());
            ASSERT_EQ(got[element], -1) << "twice: " << element;
            got[element] = outer * columns + (rows ? 0 : pack * p.width + j);
          }
    ASSERT_EQ(got, want);
  }
  EXPECT_GT(runs, 10);
  EXPECT_GT(whole, 10);
}

// More columns than multiprocessors have blocks for, in blocks that share results or walk; and on a
// CPU long rows, which are added four at a time, with some left.
constexpr Case kOwnCases[] = {over("1", "72x574x20"),
                              over("0,2", "25x45x50x24", "fp32", "max"),
                              over("0,2", "2x8725x3x16"),
                              over("0", "127x4200"),
                              over("1", "3x17384"),
                              special("negative", "0,2", "20x3x1004", "fp32", "max"),
                              special("negative", "1", "3x16380", "fp32", "max")};

// The kernel that axes.cuh launches, and what its blocks do: a team of less than a warp has others
// beside it, and blocks that share results leave theirs. Where steps go over several groups, their
// places take divisions.
std::set<std::string> ways_of(const Plan& p, int bytes, bool negative) {
  if (p.kernel == Kernel::copy) return {"a copy"};
  std::string kernel = p.runs                     ? "runs"
                       : p.whole                  ? fmt::format("whole rows, {} loads", p.loads)
                       : p.kernel == Kernel::rows ? p.odd ? "odd rows" : "even rows"
                       : p.width == 1             ? "columns, single elements"
                                                  : "columns, wide";
  const std::string shared = p.pieces > 1 ? ", blocks share results" : "";
  std::set<std::string> ways;
  if (negative) ways.insert("negative maxima, " + kernel + shared);
  if (p.kernel == Kernel::columns) kernel += fmt::format(", {} loads", p.loads);
  ways.insert(fmt::format("{} of {} bytes", kernel, bytes));
  if (p.runs)
    kernel += p.packs > 1 ? ", several per row" : ", one per row";
  else
    kernel += reduced_places(p).count > 1 ? ", several groups" : ", one group";
  ways.insert(kernel + (p.team <= kWarp ? ", teams in a warp" : shared));
  return ways;
}

TEST(Axes, EachWayHasATestCase) {
  std::set<std::string> all;
  constexpr i64 kSizes[] = {1, 2, 3, 17, 24, 72, 131, 574, 8192, 90'112}, kMost = 1 << 30;
  for (const i64 a : kSizes)
    for (const i64 b : kSizes)
      for (const i64 c : kSizes)
        for (const i64 d : kSizes)
          for (const bool first : {false, true})
            for (const int bytes : {2, 4}) {
              if (a * b * c > kMost / d) continue;
              const Shape shape = {4, {a, b, c, d}, {first, !first, first, !first}};
              all.merge(ways_of(plan_axes(collapse(shape), bytes, 0, 132), bytes, true));
            }
  expect_a_case_for_each(all, tested<MultiAxis>(kOwnCases), [](const Case& c) {
    const int bytes = static_cast<int>(MultiAxis::element_bytes(c.word("dtype")));
    const Plan p = plan_of(c.word("shape"), c.word("axes"), bytes, c.get("late", 0) * bytes);
    if (p.shape.product(false) == 0) return std::set<std::string>{};
    return ways_of(p, bytes, std::string_view(c.word("values")) == "negative");
  });
}

TEST(Axes, CasesHaveTheWordsThatThereAre) {
  const Variant& variant = linked("cpu");
  expect_unknown(variant, special("nagative", "0", "3x4", "fp32", "max"));
  expect_unknown(variant, special("negative", "0", "3x4", "fp32", "sum"));
}

// An array and its sums. Its numbers are of very different size, so that almost every addition
// rounds; or small integers, whose sums are exact.
struct Array {
  Array(Backend& backend, const Shape& shape, bool exact)
      : backend(backend),
        values(shape.elements()),
        x(backend.allocate(values.size() * sizeof(float) + 1, Space::device)),
        y(backend.allocate(shape.results() * sizeof(float) + 1, Space::device)),
        args{Operation::sum, "fp32", shape, x, y} {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = exact
                      ? std::floor(8 * static_cast<float>(uniform(7, i)))
                      : std::ldexp(static_cast<float>(uniform(7, i)), static_cast<int>(i * 5 % 17));
    backend.upload(x, values.data(), values.size() * sizeof(float), Space::device);
  }
  Array(const Array&) = delete;
  ~Array() { backend.release(x, Space::device), backend.release(y, Space::device); }
  void poison() { backend.fill(y, 0xFF, args.shape.results() * sizeof(float), Space::device); }
  std::vector<float> got() const {
    std::vector<float> sums(args.shape.results());
    backend.download(sums.data(), y, sums.size() * sizeof(float), Space::device);
    return sums;
  }
  std::vector<float> right() const {
    std::vector<float> sums(args.shape.results());
    MultiAxis::Args host = args;
    host.x = values.data(), host.y = sums.data();
    MultiAxis::reference(host);
    return sums;
  }
  Backend& backend;
  std::vector<float> values;
  void *x, *y;
  MultiAxis::Args args;
};

void expect_right_sums(Backend& backend, const Variant& variant) {
  std::mt19937_64 random(23);
  for (int turn = 0; turn < 300; ++turn) {
    const Shape shape = turn % 10 == 5 ? random_odd_rows(random)
                                       : random_shape(random, turn % 10 ? 20'000 : 2'000'000);
    Array a(backend, shape, true);
    const Launch launch = variant.make(&a.args);
    for (int run = 0; run < 2; ++run) {
      a.poison();
      launch(backend.stream());
      backend.synchronize_stream();
      ASSERT_EQ(a.got(), a.right()) << collapse(shape).text() << ", run " << run;
    }
  }
}

// Columns and rows, each shared by several blocks; columns of one block; odd rows, many and few;
// teams of less than a warp; rows that a block has in flight at once, with few loads and with more.
const std::pair<const char*, const char*> kShapes[] = {
    {"16x9x501x64", "0,2"}, {"60x8x2004", "0,2"},  {"7x3x10007", "0,2"}, {"1000003", "all"},
    {"70001x24", "0"},      {"70001x3", "0"},      {"20011x60", "1"},    {"20x140x26x32", "0,2"},
    {"600x8192", "0"},      {"33x160x131", "0,2"}, {"60x8192", "1"},     {"12x40x1204", "0,2"}};

void expect_same_bits(Backend& backend, const Variant& variant) {
  for (const auto& [sizes, axes] : kShapes) {
    SCOPED_TRACE(fmt::format("{} over {}", sizes, axes));
    Array a(backend, shape_of(sizes, axes), false);
    expect_same_bits(backend, variant, a);
  }
}

TEST(AxesCpu, SumsOfAnyShapeAreRight) {
  const auto backend = make_cpu_backend();
  expect_right_sums(*backend, linked("cpu"));
}

TEST(AxesCpu, OfLargerArraysAreRight) {
  expect_right(*make_cpu_backend(), linked("cpu"), kOwnCases);
}

// No elements, but 2^32 places that one could walk.
TEST(AxesCpu, NothingIsSummedUpAtOnce) {
  const auto backend = make_cpu_backend();
  Array a(*backend, shape_of("4294967296x5x0x8", "0,2"), true);
  a.poison();
  linked("cpu").make (&a.args)(backend->stream());
  EXPECT_EQ(a.got(), std::vector<float>(40));
}

TEST(AxesCpu, SumsHaveTheSameBitsOnAnyNumberOfCores) {
  expect_same_bits(*make_cpu_backend(), linked("cpu"));
}

#ifdef WB_WITH_CUDA
using AxesCuda = OnGpu;

TEST_F(AxesCuda, SumsOfAnyShapeAreRight) { expect_right_sums(*backend_, linked("cuda")); }

TEST_F(AxesCuda, OfLargerArraysAreRight) { expect_right(*backend_, linked("cuda"), kOwnCases); }

TEST_F(AxesCuda, SumsHaveTheSameBitsOnEveryRunBesideOtherWork) {
  expect_same_bits(*backend_, linked("cuda"));
}

TEST_F(AxesCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  Array a(*backend_, shape_of("16x9x501x64", "0,2"), false),
      b(*backend_, shape_of("60x8x2004", "0,2"), false);
  expect_undisturbed(*backend_, linked("cuda"), a, b);
}

// 2^31 + 2^20 elements of bf16, 1 or -1 in turn along the reduced axis, but for a last 1.
TEST_F(AxesCuda, MoreThan2To31ElementsAreReduced) {
  constexpr i64 kRows = 2049, kColumns = 1 << 20;
  const Shape shape = shape_of("2049x1048576", "0");
  constexpr std::size_t kBytes = kRows * kColumns * sizeof(bfloat16);
  if (static_cast<double>(backend_->free_bytes(Space::device)) < 1.25 * kBytes)
    GTEST_SKIP() << "needs 5 GiB of memory";
  const std::vector<bfloat16> plus(kColumns, bfloat16(1.0)), minus(kColumns, bfloat16(-1.0));
  auto* const x = static_cast<bfloat16*>(backend_->allocate(kBytes, Space::device));
  void* const y = backend_->allocate(kColumns * sizeof(bfloat16), Space::device);
  for (i64 row = 0; row < kRows; ++row)
    backend_->upload(x + row * kColumns, (row % 2 ? minus : plus).data(),
                     kColumns * sizeof(bfloat16), Space::device);
  const MultiAxis::Args args{Operation::sum, "bf16", shape, x, y};
  linked("cuda").make (&args)(backend_->stream());
  backend_->synchronize_stream();
  std::vector<bfloat16> got(kColumns);
  backend_->download(got.data(), y, kColumns * sizeof(bfloat16), Space::device);
  for (const bfloat16 sum : got) ASSERT_EQ(static_cast<double>(sum), 1);
  backend_->release(x, Space::device), backend_->release(y, Space::device);
}
#endif

}  // namespace
}  // namespace wb
