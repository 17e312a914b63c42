// Of ch3_reductions/10_precision, what its own tests can't show: that its sums have the same bits
// on every run, also of two streams at a time and behind a call that failed; that the bounds are
// what theory says, and never allow a sum of nothing.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "cases.h"
#include "device/backends.h"
#include "on_gpu.h"
#include "precision.h"
#include "same_bits.h"

namespace wb {
namespace {

TEST(ChainBound, IsFirstOrderWhereThatSaysSomethingAndNeverAllowsNothing) {
  for (const double u : {0x1p-8, 0x1p-11, 0x1p-24, 0x1p-53}) {
    EXPECT_EQ(chain_bound(u, 0), 0);
    EXPECT_GE(chain_bound(u, 10), 10 * u);
    EXPECT_LE(chain_bound(u, 10), 10 * u * (1 + 20 * u));
    double before = 0;
    for (double k = 1; k < 0x1p40; k *= 1.7) {
      const double bound = chain_bound(u, k);
      EXPECT_GE(bound, before) << u << " " << k;
      EXPECT_LT(bound, 1) << u << " " << k;
      before = bound;
    }
  }
}

// Rows of numbers of very different size, so that almost every addition rounds, and their sums.
struct Rows {
  Rows(Backend& backend, i64 sums, i64 n)
      : backend(backend),
        x(backend.allocate(sums * n * sizeof(float), Space::device)),
        y(static_cast<double*>(backend.allocate(sums * sizeof(double), Space::device))),
        args{"fp32", sums, n, x, y, false} {
    std::vector<float> values(sums * n);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::ldexp(static_cast<float>(uniform(7, i)), static_cast<int>(i * 5 % 17));
    backend.upload(x, values.data(), values.size() * sizeof(float), Space::device);
  }
  Rows(const Rows&) = delete;
  ~Rows() { backend.release(x, Space::device), backend.release(y, Space::device); }
  void poison() { backend.fill(y, 0xFF, args.sums * sizeof(double), Space::device); }
  std::vector<double> got() const {
    std::vector<double> sums(args.sums);
    backend.download(sums.data(), y, sums.size() * sizeof(double), Space::device);
    return sums;
  }
  Backend& backend;
  void* x;
  double* y;
  Precision::Args args;
};

TEST(Rounding, SumsThatDependOnTheNumberOfThreadsAreSeen) {
  expect_other_bits<Precision>({{"dtype", "fp32"}, {"elements", 5000}, {"sums", 3}},
                               [](const Precision::Args& p) {
                                 for (i64 row = 0; row < p.sums; ++row) {
                                   float sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
                                   for (i64 i = 0; i < p.n; ++i)
                                     sum += static_cast<const float*>(p.x)[row * p.n + i];
                                   p.y[row] = sum;
                                 }
                               });
}

// 1 and 2^24 times 2^-25: the sum is 1.5, and in fp32 each addition of the loop is lost.
TEST(Rounding, WhatIsLostInALoopIsKept) {
  const auto backend = make_cpu_backend();
  Rows rows(*backend, 1, (1 << 24) + 1);
  std::vector<float> values((1 << 24) + 1, 0x1p-25f);
  values[0] = 1;
  backend->upload(rows.x, values.data(), values.size() * sizeof(float), Space::device);
  rows.args.dtype = "bf16";  // with which step 1 refuses no elements
  std::vector<bfloat16> halves(values.begin(), values.end());
  rows.args.x = halves.data();
  linked("cpu", "step1_fp32").make (&rows.args)(nullptr);
  EXPECT_EQ(*rows.y, 1);
  linked("cpu", "optimized").make (&rows.args)(nullptr);
  EXPECT_EQ(*rows.y, 1.5);
}

#ifdef WB_WITH_CUDA
using RoundingCuda = OnGpu;

void expect_same_bits(Backend& backend, const Variant& variant) {
  for (const auto& [sums, n] : {std::pair<i64, i64>{5, 1000}, {3, 300'007}, {1, 5'000'011}}) {
    SCOPED_TRACE(fmt::format("{} x {}", sums, n));
    Rows rows(backend, sums, n);
    expect_same_bits(backend, variant, rows);
  }
}

TEST_F(RoundingCuda, HasTheSameBitsOnEveryRunBesideOtherWork) {
  for (const char* name : {"optimized", "step3_fp64"})
    expect_same_bits(*backend_, linked("cuda", name));
}

TEST_F(RoundingCuda, TwoStreamsAtATimeDoNotDisturbEachOther) {
  Rows a(*backend_, 3, 1'000'003), b(*backend_, 1, 3'000'007);
  expect_undisturbed(*backend_, linked("cuda"), a, b);
}

// While a blocking stream is recorded into a graph, a launch in the default stream is refused. What
// was recorded never runs, either.
TEST_F(RoundingCuda, ACallAfterOneThatFailedIsRight) {
  Rows rows(*backend_, 1, 3'000'007);
  const Launch launch = linked("cuda", "optimized").make(&rows.args);
  launch(backend_->stream());
  backend_->synchronize_stream();
  const auto want = rows.got();
  cudaStream_t blocking;
  WB_CHECK(cudaStreamCreate(&blocking));
  WB_CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  launch(blocking);
  EXPECT_THROW(launch(nullptr), std::runtime_error);
  cudaGraph_t graph = nullptr;
  EXPECT_NE(cudaStreamEndCapture(blocking, &graph), cudaSuccess);
  if (graph) cudaGraphDestroy(graph);
  WB_CHECK(cudaStreamDestroy(blocking));
  cudaGetLastError();
  for (int i = 0; i < 3; ++i) {
    rows.poison();
    launch(backend_->stream());
    backend_->synchronize_stream();
    EXPECT_EQ(rows.got(), want);
  }
}
#endif

}  // namespace
}  // namespace wb
