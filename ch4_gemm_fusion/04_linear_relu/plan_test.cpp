// Tests of all_shapes in fp32, whose W is stored n x k: what the plan of ../shared/sgemm makes of
// that, and each kernel that it chooses, also where k is cut: an epilogue is applied once, to the
// whole sum.
#include "../shared/sgemm/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>

#include "cases.h"
#include "linear_relu.h"
#include "on_gpu.h"
#include "same_bits.h"

namespace wb {
namespace {

constexpr i64 kSizes[] = {0, 1, 2, 15, 16, 17, 31, 33, 40, 127, 129, 200, 1021, 2049, 4096, 4500};

sgemm::Plan planned(i64 m, i64 n, i64 k, int multiprocessors = 132) {
  return sgemm::plan(m, n, k, multiprocessors, true);
}

TEST(LinearReluPlan, CoversEveryShape) {
  for (const int device : {14, 40, 114, 132})
    for (const i64 m : kSizes)
      for (const i64 n : kSizes)
        for (const i64 k : kSizes) {
          const sgemm::Plan plan = planned(m, n, k, device);
          SCOPED_TRACE(fmt::format("{} x {} x {}: {}", m, n, k, plan.text()));
          const auto [rows, columns] = plan.swapped ? std::pair{n, m} : std::pair{m, n};
          ASSERT_EQ(plan.down, (rows + plan.rows - 1) / plan.rows);
          ASSERT_EQ(plan.across, (columns + plan.columns - 1) / plan.columns);
          ASSERT_GE(plan.parts * plan.part, k);
          ASSERT_TRUE(plan.parts == 1 || (plan.parts - 1) * plan.part < k) << "a part of no terms";
          ASSERT_NE(plan.tile, sgemm::kFewRows) << "it would read W column by column";
          ASSERT_TRUE(!plan.swapped || plan.tile == sgemm::kFewColumns);
        }
}

TEST(LinearReluPlan, ReadsASmallBatchLikeAFewColumns) {
  for (const i64 m : {1, 5, 16}) EXPECT_TRUE(planned(m, 4096, 4096).swapped) << m;
  EXPECT_FALSE(planned(17, 4096, 4096).swapped);
  EXPECT_FALSE(planned(4096, 1, 4096).swapped);
  EXPECT_FALSE(planned(1, 1, 4096).swapped);
}

std::string way_of(const sgemm::Plan& p) {
  return fmt::format("{} x {}{}{}{}", p.rows, p.columns,
                     p.tile == sgemm::kFewColumns ? ", columns" : "", p.swapped ? ", swapped" : "",
                     p.parts > 1 ? ", parts" : "");
}

// In addition to what all variants are tested with: edges, and the smallest layers for each way.
constexpr Case kOwnCases[] = {
    layer(1, 1, 1, "fp32"),         layer(31, 33, 127, "fp32"),    layer(33, 31, 129, "fp32"),
    layer(127, 129, 31, "fp32"),    layer(129, 127, 33, "fp32"),   layer(131, 137, 139, "fp32"),
    layer(5, 0, 7, "fp32"),         layer(300, 0, 33, "fp32"),     layer(1, 0, 300, "fp32"),
    layer(127, 1543, 4096, "fp32"), layer(200, 4099, 17, "fp32"),  layer(263, 1021, 17, "fp32"),
    layer(17, 17, 1, "fp32"),       layer(33, 4099, 200, "fp32"),  layer(17, 40, 17, "fp32"),
    layer(17, 127, 17, "fp32"),     layer(5001, 129, 40, "fp32"),  layer(200, 2049, 17, "fp32"),
    layer(1, 257, 1, "fp32"),       layer(1, 257, 2, "fp32"),      layer(1, 2, 1, "fp32"),
    layer(16, 3001, 129, "fp32"),   layer(3, 4099, 1021, "fp32"),  layer(1021, 4099, 3, "fp32"),
    layer(1021, 40, 2049, "fp32"),  layer(4500, 40, 200, "fp32"),  layer(4500, 40, 129, "fp32"),
    layer(8, 131, 65537, "fp32"),   layer(65537, 5, 9, "fp32"),    layer(129, 41, 4500, "fp32"),
    layer(2049, 511, 1021, "fp32"), layer(33, 4096, 4099, "fp32"), layer(129, 129, 4500, "fp32"),
    layer(33, 4096, 129, "fp32"),
};

TEST(LinearReluPlan, EachWayHasATestCase) {
  std::set<std::string> all;
  for (const i64 m : kSizes)
    for (const i64 n : kSizes)
      for (const i64 k : kSizes)
        if (m * n > 0) all.insert(way_of(planned(m, n, k)));
  expect_a_case_for_each(all, tested<LinearRelu>(kOwnCases), [](const Case& c) {
    const i64 m = c["m"], n = c["n"], k = c["k"];
    if (m * n == 0 || c.word("dtype") != std::string("fp32")) return std::set<std::string>{};
    return std::set{way_of(planned(m, n, k))};
  });
}

#ifdef WB_WITH_CUDA
using LinearReluAllShapes = OnGpu;

struct Layer {
  Layer(Backend& backend, i64 m, i64 n, i64 k) : backend(backend), count(m * n) {
    args = {m, n, k, "fp32", filled(m * k, 1), filled(n * k, 2), filled(n, 3), filled(count, 4)};
  }
  Layer(const Layer&) = delete;
  ~Layer() {
    for (void* array : arrays) backend.release(array, Space::device);
  }
  void* filled(i64 size, int stream) {
    std::vector<float> values(size);
    for (i64 i = 0; i < size; ++i) values[i] = static_cast<float>(uniform(stream, i));
    arrays.push_back(backend.allocate(size * sizeof(float), Space::device));
    backend.upload(arrays.back(), values.data(), size * sizeof(float), Space::device);
    return arrays.back();
  }
  void poison() { backend.fill(args.y, 0xFF, count * sizeof(float), Space::device); }
  std::vector<float> got() const {
    std::vector<float> values(count);
    backend.download(values.data(), args.y, count * sizeof(float), Space::device);
    return values;
  }
  Backend& backend;
  i64 count;
  std::vector<void*> arrays;
  LinearRelu::Args args;
};

TEST_F(LinearReluAllShapes, EachWayIsRight) {
  expect_right(*backend_, linked("cuda", "all_shapes"), kOwnCases);
}

TEST_F(LinearReluAllShapes, HasTheSameBitsOnEveryRunBesideOtherWork) {
  for (const auto& [m, n, k] :
       {std::array<i64, 3>{100, 101, 20'000}, {3, 3001, 4099}, {300, 300, 300}}) {
    SCOPED_TRACE(fmt::format("{} x {} x {}", m, n, k));
    Layer layer(*backend_, m, n, k);
    expect_same_bits(*backend_, linked("cuda", "all_shapes"), layer);
  }
}

TEST_F(LinearReluAllShapes, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  Layer a(*backend_, 100, 101, 20'000), b(*backend_, 3, 3001, 4099);
  expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b, 5);
}
#endif

}  // namespace
}  // namespace wb
