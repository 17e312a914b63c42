// Of products of any shape (../shared/any_shape): what the plan chooses can be launched, and each
// kernel and tile that it chooses has a test case.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "../shared/any_shape/pair.h"
#include "../shared/any_shape/plan.h"
#include "cases.h"
#include "hopper_pipeline.h"
#include "on_gpu.h"
#include "same_bits.h"

namespace wb {
namespace {

using any_shape::Plan;
using any_shape::Way;

constexpr i64 kSizes[] = {1,   2,   5,    8,    31,   33,   64,   127,  129,  250,   256,   509,
                          512, 768, 1000, 1024, 1999, 2048, 4095, 4096, 8192, 16384, 65536, 65537};

template <class F> void for_each_plan(F f) {
  for (const i64 m : kSizes)
    for (const i64 n : kSizes)
      for (const i64 k : kSizes)
        for (const int multiprocessors : {114, 132})
          if (1.0 * m * n * k < 1e12) f(m, n, k, any_shape::choose(m, n, k, multiprocessors));
}

TEST(AnyShapePlan, CanBeLaunched) {
  for_each_plan([](i64 m, i64 n, i64 k, const Plan& p) {
    SCOPED_TRACE(fmt::format("{} x {} x {}: {}", m, n, k, p.text()));
    const int sums = p.rows * p.columns;
    EXPECT_TRUE(p.way != Way::unaligned || (!p.padded && sums <= any_shape::kUnalignedSums));
    const bool by_tma = p.way == Way::aligned || p.way == Way::persistent;
    EXPECT_TRUE(!by_tma || p.padded || k % 8 == 0) << "TMA can't read such rows";
    EXPECT_TRUE(p.way != Way::few_terms || (k <= any_shape::kMostTerms && p.slices == 1));
    EXPECT_TRUE(p.way != Way::persistent || (n % 8 == 0 && p.slices == 1));
    EXPECT_GE(p.slices, 1);
    EXPECT_LE(p.slices, 16) << "the largest cluster";
    EXPECT_TRUE(p.slices == 1 || p.slices * any_shape::kDepth <= k) << "a slice of no terms";
    EXPECT_TRUE(p.parts == 1 || p.parts * any_shape::kDepth <= k) << "a part of no terms";
    EXPECT_TRUE(p.parts == 1 || (p.way == Way::unaligned && p.slices == 1 && sums == 64 * 64));
  });
}

// The 32 lanes of a warp store 64 numbers, each once, and words where they are aligned.
TEST(AnyShapeStore, AWarpHasEachNumberOnce) {
  for (const bool late : {false, true}) {
    std::multiset<int> stored;
    for (int lane = 0; lane < 32; ++lane) {
      const any_shape::Pair p = any_shape::pair_of(lane, late);
      stored.insert(p.first), stored.insert(p.second);
      if (p.is_word()) {
        EXPECT_EQ(p.second, p.first + 1);
        EXPECT_EQ((p.first + late) % 2, 0) << "an aligned word";
      }
    }
    for (int i = 0; i < 64; ++i) EXPECT_EQ(stored.count(i), 1u) << i;
  }
}

// As in a part of a GPU.
TEST(AnyShapePlan, HasNoLargerClustersThanTheDeviceHolds) {
  for (const int most : {1, 4, 8})
    for (const i64 k : {4096, 65537})
      EXPECT_LE(any_shape::choose(100, 70, k, 14, most).slices, most);
}

// Nothing to multiply: C is what the epilogue makes of 0.
TEST(AnyShapePlan, OfNoTermsNeedsNoTma) {
  for (const i64 m : {1, 1000})
    for (const i64 n : {1, 8, 1000}) {
      const Way way = any_shape::choose(m, n, 0, 132).way;
      EXPECT_TRUE(way == Way::unaligned || way == Way::few_terms) << m << " x " << n;
    }
}

// The stores of a large C take longer than tensor cores could save.
TEST(AnyShapePlan, OfAFewTermsAndALargeCNeedsNoTensorCores) {
  for (const i64 k : {0, 1, 3, 4, 7})
    EXPECT_EQ(any_shape::choose(7741, 1811, k, 132).way, Way::few_terms) << k;
  for (const i64 k : {17, 64, 1024})
    EXPECT_NE(any_shape::choose(7741, 1811, k, 132).way, Way::few_terms) << k;
}

std::string way_of(const Plan& p) {
  constexpr const char* kWays[] = {"aligned", "unaligned", "persistent", "few terms"};
  return fmt::format("{} {} x {}{}{}{}", kWays[static_cast<int>(p.way)], p.rows, p.columns,
                     p.slices > 1 ? ", slices" : "", p.padded ? ", padded" : "",
                     p.parts > 1 ? ", parts" : "");
}

// In addition to what all variants are tested with: the smallest products that take each way.
constexpr Case kOwnCases[] = {
    product(520, 5001, 24, "bf16"),   product(520, 5001, 17, "fp16"),
    product(200, 2200, 1000, "bf16"), product(129, 2200, 1283, "fp16"),
    product(1544, 1283, 24, "bf16"),  product(1544, 1283, 17, "fp16"),
    product(3001, 129, 1000, "bf16"), product(6000, 129, 777, "fp16"),
    product(520, 5001, 200, "bf16"),  product(520, 5001, 509, "fp16"),
    product(5001, 200, 1000, "bf16"), product(5001, 200, 1283, "fp16"),
    product(97, 10001, 8, "bf16"),    product(1, 1, 777, "fp16"),
    product(97, 2200, 1200, "bf16"),  product(1, 1, 1999, "fp16"),
    product(20000, 129, 24, "bf16"),  product(1544, 2561, 17, "fp16"),
    product(129, 3080, 2200, "bf16"), product(129, 5001, 2500, "fp16"),
    product(777, 1283, 24, "bf16"),   product(2200, 97, 1200, "fp16"),
    product(1, 1, 8, "bf16"),         product(1, 1, 3072, "fp16"),
    product(1, 8, 8, "bf16"),         product(64, 64, 129, "fp16"),
    product(16384, 127, 129, "bf16"), product(127, 5001, 777, "fp16"),
    product(6000, 263, 17, "bf16"),   product(97, 5001, 509, "fp16"),
    product(1200, 1283, 17, "bf16"),  product(2561, 97, 1001, "fp16"),
    product(1, 1, 1, "bf16"),         product(1, 1, 509, "fp16"),
    product(100, 70, 30011, "bf16"),  product(1001, 1811, 4, "bf16"),
    product(777, 1023, 7, "fp16"),    product(3001, 513, 11, "bf16"),
    product(65, 257, 16, "bf16"),     product(16384, 31, 1000, "fp16"),
    product(1031, 255, 0, "fp16"),    product(97, 1, 1001, "bf16"),
};

TEST(AnyShapePlan, EachWayHasATestCase) {
  std::set<std::string> all;
  for_each_plan([&](i64, i64, i64, const Plan& p) { all.insert(way_of(p)); });
  expect_a_case_for_each(all, tested<TensorCores>(kOwnCases), [](const Case& c) {
    const i64 m = c["m"], n = c["n"], k = c["k"];
    if (m * n == 0) return std::set<std::string>{};
    return std::set{way_of(any_shape::choose(m, n, k, 132))};
  });
}

#ifdef WB_WITH_CUDA
// Arrays of bf16 whose products differ much in size, so that almost every addition rounds.
struct Product {
  Product(Backend& backend, i64 m, i64 n, i64 k) : backend(backend), count(m * n) {
    args = {m, n, k, "bf16", filled(m * k), filled(n * k), allocate(count)};
  }
  Product(const Product&) = delete;
  ~Product() {
    for (void* array : arrays) backend.release(array, Space::device);
  }
  void poison() { backend.fill(args.c, 0xFF, count * sizeof(bfloat16), Space::device); }
  std::vector<float> got() const {
    std::vector<bfloat16> values(count);
    backend.download(values.data(), args.c, count * sizeof(bfloat16), Space::device);
    return {values.begin(), values.end()};
  }
  void* allocate(i64 size) {
    arrays.push_back(backend.allocate(size * sizeof(bfloat16), Space::device));
    return arrays.back();
  }
  void* filled(i64 size) {
    std::vector<bfloat16> values(size);
    for (i64 i = 0; i < size; ++i)
      values[i] = static_cast<bfloat16>(std::ldexp(static_cast<float>(uniform(7, i)), i * 5 % 17));
    void* const array = allocate(size);
    backend.upload(array, values.data(), size * sizeof(bfloat16), Space::device);
    return array;
  }
  Backend& backend;
  i64 count;
  std::vector<void*> arrays;
  TensorCores::Args args;
};

using AnyShapeCuda = OnGpu;

TEST_F(AnyShapeCuda, EachWayIsRight) {
  expect_right(*backend_, linked("cuda", "all_shapes"), kOwnCases);
}

// Slices of k by TMA, by threads, and after a copy.
TEST_F(AnyShapeCuda, HasTheSameBitsOnEveryRunBesideOtherWork) {
  for (const auto& [m, n, k] :
       {std::array<i64, 3>{200, 2200, 1000}, {97, 509, 5009}, {129, 2200, 1283}}) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", m, n, k));
    Product p(*backend_, m, n, k);
    expect_same_bits(*backend_, linked("cuda", "all_shapes"), p);
  }
}

// Each set-up has separate copies.
TEST_F(AnyShapeCuda, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  Product a(*backend_, 520, 5001, 509), b(*backend_, 129, 2200, 1283);
  expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b, 5);
}
#endif

}  // namespace
}  // namespace wb
