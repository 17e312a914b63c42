// What the tests of ch3_reductions/01_sum can't show, for its inputs are chosen so that additions
// never round: that its sums have the same bits on every run where they do. And what its cases are
// too small for: more than 2^31 elements, two streams at a time, and a call after one that failed.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "cases.h"
#include "device/backends.h"
#include "measure/trial.h"
#include "on_gpu.h"
#include "sum.h"
#ifdef WB_WITH_CUDA
#include "wb/cuda.h"
#endif

namespace wb {
namespace {

std::vector<Variant> variants(const std::string& backend, const std::set<std::string>& names) {
  std::vector<Variant> found;
  for (const Variant& v : linked_variants())
    if (v.backend == backend && names.contains(v.name)) found.push_back(v);
  return found;
}

// Memory of a backend that frees itself.
struct Memory {
  Memory(Backend& backend, std::size_t bytes)
      : data(backend.allocate(bytes, Space::device),
             [&backend](void* p) { backend.release(p, Space::device); }) {}
  template <class T> T* as() const { return static_cast<T*>(data.get()); }
  std::shared_ptr<void> data;
};

float read(Backend& backend, const float* from) {
  float value;
  backend.download(&value, from, sizeof value, Space::device);
  return value;
}

// Numbers of very different size, so that almost every addition rounds.
std::vector<float> numbers_that_round(i64 n) {
  std::vector<float> x(n);
  for (i64 i = 0; i < n; ++i)
    x[i] = std::ldexp(static_cast<float>(uniform(7, i)), static_cast<int>(i * 5 % 17));
  return x;
}
float in_order(const std::vector<float>& x, i64 first, i64 step) {
  float sum = 0;
  for (i64 i = 0, n = static_cast<i64>(x.size()); i < n; ++i) sum += x[first + i * step];
  return sum;
}

constexpr i64 kLengths[] = {65'536, 1'000'003, 8'400'001};

TEST(Determinism, TheOrderOfAdditionsShowsInTheseInputs) {
  for (const i64 n : kLengths) {
    const auto x = numbers_that_round(n);
    EXPECT_NE(in_order(x, 0, 1), in_order(x, n - 1, -1)) << n;
  }
}

TEST(Determinism, SumsThatDependOnTheNumberOfThreadsAreSeen) {
  expect_other_bits<Sum>({{"op", "sum"}, {"dtype", "fp32"}, {"elements", 5000}},
                         [](const Sum::Args& p) {
                           const auto* x = static_cast<const float*>(p.x);
                           float sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
                           for (i64 i = 0; i < p.n; ++i) sum += x[i];
                           *p.result = sum;
                         });
}

// More than 2^31 odd multiples of 1/32 below 1, and their sum: numbers drawn at random, then their
// opposites and one more, again and again, at no multiple of a power of two. However they are
// grouped, no partial sum comes near 2^24 units, so fp32 holds each of them exactly.
constexpr i64 kMany = (i64{1} << 31) + 12'345;

double fill_many(Backend& backend, bfloat16* to) {
  constexpr i64 kHalf = (i64{1} << 22) - 7, kPiece = 2 * kHalf + 1;
  std::vector<int> units(kPiece, 1);
  std::mt19937 random(23);
  for (i64 i = 0; i < kHalf; ++i) {
    units[i] = 2 * static_cast<int>(random() % 32) - 31;
    units[kHalf + i] = -units[i];
  }
  std::vector<bfloat16> piece(kPiece);
  for (i64 i = 0; i < kPiece; ++i) piece[i] = bfloat16(static_cast<float>(units[i]) / 32);
  i64 sum = 0;
  for (i64 begin = 0; begin < kMany; begin += kPiece) {
    const i64 count = std::min(kPiece, kMany - begin);
    backend.upload(to + begin, piece.data(), count * sizeof(bfloat16), Space::device);
    sum += std::accumulate(units.begin(), units.begin() + count, i64{0});
  }
  return static_cast<double>(sum) / 32;
}

void sum_many(const std::string& name, Backend& backend) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "takes minutes under the address sanitizer";
#endif
  constexpr std::size_t kBytes = kMany * sizeof(bfloat16);
  const double free = static_cast<double>(backend.free_bytes(Space::device));
  if (free < 1.25 * kBytes) GTEST_SKIP() << "needs 5 GiB of memory";
  const Memory x(backend, kBytes), result(backend, sizeof(float));
  const double want = fill_many(backend, x.as<bfloat16>());
  const Sum::Args args{"sum", "bf16", kMany, x.data.get(), result.as<float>()};
  const std::vector<Variant> fast = variants(
      name, {"baseline", "step1_accumulators", "step1_shuffle", "step2_threads",
             "step2_grid_stride", "step3_vectorized", "step4_in_flight", "optimized", "library"});
  EXPECT_GE(fast.size(), 2u);
  for (const Variant& v : fast) {
    backend.fill(result.data.get(), 0xFF, sizeof(float), Space::device);
    v.make (&args)(backend.stream());
    backend.synchronize_stream();
    EXPECT_EQ(read(backend, result.as<float>()), want) << v.name;
  }
}

TEST(SumCases, OfOtherWordsAreRefused) {
  const auto backend = make_cpu_backend();
  const std::vector<Variant> any = variants("cpu", {"baseline"});
  const auto bind = [&](const char* op, const char* dtype) {
    const Case c = {{"op", op}, {"dtype", dtype}, {"elements", 5}};
    Data data(*any.front().problem, c, *backend, 1);
  };
  EXPECT_NO_THROW(bind("min", "fp16"));
  EXPECT_THROW(bind("median", "fp32"), Unsupported);
  EXPECT_THROW(bind("sum", "fp64"), Unsupported);
}

TEST(MoreThan2To31Elements, AreAddedByCpuVariants) { sum_many("cpu", *make_cpu_backend()); }

#ifdef WB_WITH_CUDA
using ReductionsCuda = OnGpu;

// The bits of `runs` launches.
std::set<std::uint32_t> bits(const Variant& variant, Backend& backend, i64 n, int runs) {
  const auto x = numbers_that_round(n);
  const Memory device(backend, n * sizeof(float)), result(backend, sizeof(float));
  backend.upload(device.data.get(), x.data(), n * sizeof(float), Space::device);
  const Sum::Args args{"sum", "fp32", n, device.data.get(), result.as<float>()};
  const Launch launch = variant.make(&args);
  std::set<std::uint32_t> seen;
  for (int run = 0; run < runs; ++run) {
    backend.fill(result.data.get(), 0xFF, sizeof(float), Space::device);
    launch(backend.stream());
    backend.synchronize_stream();
    const float value = read(backend, result.as<float>());
    EXPECT_TRUE(std::isfinite(value)) << variant.name;
    seen.insert(std::bit_cast<std::uint32_t>(value));
  }
  return seen;
}

TEST_F(ReductionsCuda, MoreThan2To31ElementsAreAdded) { sum_many("cuda", *backend_); }

TEST_F(ReductionsCuda, SameBitsOnEveryRunBesideOtherWork) {
  backend_->disturb(true);
  const auto found = variants("cuda", {"optimized", "step4_in_flight"});
  EXPECT_EQ(found.size(), 2u);
  for (const Variant& v : found)
    for (const i64 n : kLengths)
      EXPECT_EQ(bits(v, *backend_, n, 30).size(), 1u) << v.name << " " << n;
  backend_->disturb(false);
}

// n numbers 1, 2, 1, 2 ... times `unit`: sums that are exact, and others for each unit.
struct Ones {
  Ones(Backend& backend, i64 n, float unit)
      : x(backend, n * sizeof(float)), result(backend, sizeof(float)) {
    std::vector<float> values(n);
    for (i64 i = 0; i < n; ++i) values[i] = unit * static_cast<float>(1 + i % 2), want += values[i];
    backend.upload(x.data.get(), values.data(), n * sizeof(float), Space::device);
    args = {"sum", "fp32", n, x.data.get(), result.as<float>()};
  }
  Memory x, result;
  double want = 0;
  Sum::Args args{};
};

TEST_F(ReductionsCuda, TwoStreamsAtATimeDoNotDisturbEachOther) {
  for (const Variant& v : variants("cuda", {"optimized", "step4_in_flight"})) {
    const Ones a(*backend_, 3'000'001, 1), b(*backend_, 200'003, 8);
    const Launch launch_a = v.make(&a.args), launch_b = v.make(&b.args);
    const Stream stream_a = make_stream(), stream_b = make_stream();
    for (int turn = 0; turn < 50; ++turn) {
      for (const Ones* o : {&a, &b})
        WB_CHECK(cudaMemset(o->result.data.get(), 0xFF, sizeof(float)));
      WB_CHECK(cudaDeviceSynchronize());
      for (int i = 0; i < 10; ++i) launch_a(stream_a.get()), launch_b(stream_b.get());
      WB_CHECK(cudaDeviceSynchronize());
      ASSERT_EQ(read(*backend_, a.result.as<float>()), a.want) << v.name;
      ASSERT_EQ(read(*backend_, b.result.as<float>()), b.want) << v.name;
    }
  }
}

// While a blocking stream is recorded into a graph, a launch in the default stream is refused. What
// was recorded never runs, either.
TEST_F(ReductionsCuda, ACallAfterOneThatFailedIsRight) {
  for (const Variant& v : variants("cuda", {"optimized", "step4_in_flight"})) {
    const Ones a(*backend_, 3'000'001, 1);
    const Launch launch = v.make(&a.args);
    cudaStream_t blocking;
    WB_CHECK(cudaStreamCreate(&blocking));
    WB_CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    launch(blocking);
    EXPECT_THROW(launch(nullptr), std::runtime_error) << v.name;
    cudaGraph_t graph = nullptr;
    EXPECT_NE(cudaStreamEndCapture(blocking, &graph), cudaSuccess);
    if (graph) cudaGraphDestroy(graph);
    WB_CHECK(cudaStreamDestroy(blocking));
    cudaGetLastError();
    for (int i = 0; i < 3; ++i) {
      backend_->fill(a.result.data.get(), 0xFF, sizeof(float), Space::device);
      launch(backend_->stream());
      backend_->synchronize_stream();
      EXPECT_EQ(read(*backend_, a.result.as<float>()), a.want) << v.name;
    }
  }
}
#endif

}  // namespace
}  // namespace wb
