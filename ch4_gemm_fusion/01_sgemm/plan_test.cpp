// Tests of all_shapes: its plan, for devices that are made up here, so that every machine tests the
// same. And properties that its generated tests can't show: the same bits on every run, two streams
// at a time, and matrices that are taller than a grid.
#include "../shared/sgemm/plan.h"

#include <gtest/gtest.h>

#include <climits>

#include "cases.h"
#include "on_gpu.h"
#include "same_bits.h"
#include "sgemm.h"

namespace wb {
namespace {

constexpr int kMultiprocessors[] = {14, 40, 58, 114, 132};
constexpr i64 kSizes[] = {0, 1, 2, 15, 17, 31, 33, 127, 129, 1021, 4096, 65'537};

TEST(SgemmPlan, CoversEveryShape) {
  for (const int device : kMultiprocessors)
    for (const i64 m : kSizes)
      for (const i64 n : kSizes)
        for (const i64 k : kSizes) {
          const sgemm::Plan plan = sgemm::plan(m, n, k, device);
          const std::string shape = std::to_string(m) + " x " + std::to_string(n) + " x " +
                                    std::to_string(k) + ": " + plan.text();
          ASSERT_EQ(plan.down, (m + plan.rows - 1) / plan.rows) << shape;
          ASSERT_EQ(plan.across, (n + plan.columns - 1) / plan.columns) << shape;
          ASSERT_EQ(plan.part % 4, 0) << shape;  // where a thin part ends, a quad of A ends
          ASSERT_GE(plan.parts * plan.part, k) << shape;
          ASSERT_TRUE(plan.parts == 1 || (plan.parts - 1) * plan.part < k) << shape;
          ASSERT_LE(plan.tiles() * plan.parts, INT_MAX) << shape;
          ASSERT_TRUE(plan.parts == 1 || plan.parts * m * n <= sgemm::kMostPartFloats) << shape;
        }
}

// The exercise's goal is relative to the library, which does so, too: a factor over optimized, with
// its two blocks, would grow with the number of multiprocessors.
TEST(SgemmPlan, GivesAllMultiprocessorsWorkWhereTilesAreFew) {
  for (const int device : kMultiprocessors)
    for (const auto& [m, n, k] : {std::array<i64, 3>{256, 256, 32768},
                                  {1, 4096, 4096},
                                  {4096, 1, 4096},
                                  {100, 100, 32768},
                                  {1024, 1024, 1024}}) {
      const sgemm::Plan plan = sgemm::plan(m, n, k, device);
      const double blocks = static_cast<double>(plan.tiles() * plan.parts);
      EXPECT_GT(blocks, 0.7 * std::ceil(blocks / device) * device) << device << ": " << plan.text();
    }
}

TEST(SgemmPlan, TakesTheTileThatFits) {
  const auto plan = [](i64 m, i64 n, i64 k) { return sgemm::plan(m, n, k, 132); };
  EXPECT_EQ(plan(1, 4096, 4096).tile, sgemm::kFewRows);
  EXPECT_EQ(plan(4096, 1, 4096).tile, sgemm::kFewColumns);
  EXPECT_EQ(plan(1, 1, 4096).tile, sgemm::kFewColumns);
  EXPECT_EQ(plan(16, 4096, 4096).rows, 16);
  EXPECT_EQ(plan(4096, 24, 4096).columns, 32);
  EXPECT_EQ(plan(2000, 3000, 10).rows, 16);  // stores whole lines
  const sgemm::Plan large = plan(4096, 4096, 4096);
  EXPECT_GE(large.rows * large.columns, 64 * 128);
  EXPECT_EQ(large.parts, 1);
}

TEST(SgemmPlan, ExpectsMoreOfMoreMultiprocessors) {
  for (const auto& [m, n, k] : {std::array<i64, 3>{256, 256, 32768}, {2049, 2049, 2049}}) {
    double before = HUGE_VAL;
    for (const int device : kMultiprocessors) {
      const double now = sgemm::nanoseconds(sgemm::plan(m, n, k, device), m, n, k, device);
      EXPECT_LT(now, before) << device;
      before = now;
    }
  }
}

#ifdef WB_WITH_CUDA
using SgemmAllShapes = OnGpu;

struct Matrices {
  Matrices(Backend& backend, i64 m, i64 n, i64 k)
      : backend(backend), a(array(m * k, 1)), b(array(k * n, 2)), c(array(m * n, 3)), args{m, n,
                                                                                           k, a,
                                                                                           b, c} {}
  Matrices(const Matrices&) = delete;
  ~Matrices() {
    for (float* array : {a, b, c}) backend.release(array, Space::device);
  }
  float* array(i64 count, int stream) {
    std::vector<float> values(count);
    for (i64 i = 0; i < count; ++i) values[i] = static_cast<float>(uniform(stream, i));
    void* data = backend.allocate(count * sizeof(float), Space::device);
    backend.upload(data, values.data(), count * sizeof(float), Space::device);
    return static_cast<float*>(data);
  }
  void poison() { backend.fill(c, 0xFF, args.m * args.n * sizeof(float), Space::device); }
  std::vector<float> got() const {
    std::vector<float> values(args.m * args.n);
    backend.download(values.data(), c, values.size() * sizeof(float), Space::device);
    return values;
  }
  Backend& backend;
  float *a, *b, *c;
  Sgemm::Args args;
};

TEST_F(SgemmAllShapes, HasTheSameBitsOnEveryRunBesideOtherWork) {
  for (const auto& [m, n, k] :
       {std::array<i64, 3>{100, 101, 20'000}, {1, 3001, 4099}, {300, 300, 300}}) {
    Matrices matrices(*backend_, m, n, k);
    expect_same_bits(*backend_, linked("cuda", "all_shapes"), matrices);
  }
}

TEST_F(SgemmAllShapes, OnTwoStreamsAtATimeDoNotDisturbEachOther) {
  Matrices a(*backend_, 100, 101, 20'000), b(*backend_, 64, 257, 9'001);
  expect_undisturbed(*backend_, linked("cuda", "all_shapes"), a, b);
}

// Its second axis has 65,535 blocks at most.
TEST_F(SgemmAllShapes, AreRightWhereAGridEnds) {
  constexpr Case kTall[] = {{{"m", 8 * 65'535 + 1}, {"n", 1}, {"k", 1}}};
  for (const char* name : {"all_shapes", "baseline"})  // whose rows are along the first axis
    expect_right(*backend_, linked("cuda", name), kTall);
  Matrices matrices(*backend_, kTall[0]["m"], 1, 1);
  const Launch launch = linked("cuda", "step1_coalesced").make(&matrices.args);
  EXPECT_THROW(launch(backend_->stream()), Unsupported);
}
#endif

}  // namespace
}  // namespace wb
