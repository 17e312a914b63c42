// What takes an emulator long. A case with more than 2^28 operations and bytes is left out of a
// lesson's tests, unless WB_LONG=1 asks for it; here it merely says that it has so many. An
// exercise gets a smaller case of the same kind.
#define WB_LESSON "common/tests/simt"
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/process.h"
#include "device/backends.h"
#include "has.h"
#include "simt/rows.h"
#include "wb/cuda.h"
#include "wb/problem.h"

namespace {

struct Long {
  static constexpr wb::Case bench[] = {{{"n", 1}}};
  static constexpr wb::Case test[] = {{{"n", 1}}, {{"n", 2}}};
  struct Args {
    wb::i64 n;
    float* y;
  };
  static Args bind(wb::Binder& io, const wb::Case& c) {
    return {c["n"], io.out<float>("y", c["n"])};
  }
  static wb::Cost cost(const Args& p) {
    return {.flops = p.n == 2 ? 0x1p28 : 0x1p28 - 4 * p.n, .read = 0, .write = 4.0 * p.n};
  }
  static wb::Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) {
    for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = 1;
  }
};

__global__ void ones(Long::Args p) {
  for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = 1;
}
void run(const Long::Args& p, cudaStream_t stream) { ones<<<1, 1, 0, stream>>>(p); }
WB_CUDA(Long, long_test, run);

std::string tested(const char* n) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  return wb::run_process(
             {program, std::string("--gtest_filter=common/tests/simt.long_test/simt/n=") + n}, 60)
      .output;
}

TEST(SimtLong, ALaunchEndsBehindItsSteps) {
  const auto backend = wb::open_backend("simt");
  const std::size_t bytes = 100 * Rows::kColumns * sizeof(float);
  const auto array = [&] {
    return std::shared_ptr<void>(backend->allocate(bytes, wb::Space::device),
                                 [&](void* p) { backend->release(p, wb::Space::device); });
  };
  const auto x = array(), y = array();
  backend->fill(x.get(), 0, bytes, wb::Space::device);
  const auto launch = [&] {
    const Rows::Args p{100, static_cast<const float*>(x.get()), static_cast<float*>(y.get())};
    twice_rows(p, static_cast<cudaStream_t>(backend->stream()));
    backend->synchronize_stream();
  };
  for (int i = 0; i < 2; ++i) try {
      backend->limit_steps(50 * 3 * Rows::kColumns);  // a turn and two accesses of a thread
      launch();
      ADD_FAILURE() << "it was not ended";
    } catch (const wb::TooLong& e) {
      EXPECT_NEAR(e.done, 0.5, 0.02);
    }
  backend->limit_steps(100 * 3 * Rows::kColumns);
  launch(), launch();  // each may take so many
  backend->limit_steps(0);
  launch();
}

TEST(SimtLong, AnExerciseGetsSmallerCasesOfTheKind) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const auto tested = [&] {  // it is wrong in the largest case alone, and in those of its kind
    return wb::run_process({program, std::string("--exercise=") + WB_SIMT_EXERCISE,
                            "--backend=simt", "--gtest_filter=*.exercise/simt/rows=*"},
                           60)
        .output;
  };
  const char* const listed = "\nrows=2251, WB_SEED";
  ::unsetenv("WB_LONG");
  const std::string smaller = tested();
  EXPECT_TRUE(wb::has(smaller, "[  PASSED  ] 3 tests")) << smaller;
  EXPECT_TRUE(wb::has(smaller, "\nrows=")) << smaller;
  EXPECT_FALSE(wb::has(smaller, listed)) << smaller;
  ::setenv("WB_LONG", "1", 1);
  EXPECT_TRUE(wb::has(tested(), listed));
  ::unsetenv("WB_LONG");
}

TEST(SimtSettings, AWrongWordIsAWrongCallNotTestsThatAreSkipped) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const auto tried = [&](const char* words) {
    return wb::run_process({"env", std::string("WB_SIMT=") + words, program,
                            std::string("--exercise=") + WB_SIMT_EXERCISE, "--backend=simt",
                            "--gtest_filter=*.exercise/simt/rows=1"},
                           60);
  };
  EXPECT_EQ(tried("no-races").code, 0) << tried("no-races").output;
  const wb::Outcome wrong = tried("no-reces");
  EXPECT_EQ(wrong.code, 2) << wrong.output;
  EXPECT_TRUE(wb::has(wrong.errors, "WB_SIMT has 'no-reces'")) << wrong.errors;
  EXPECT_FALSE(wb::has(wrong.output, "SKIPPED")) << wrong.output;
}

TEST(SimtLong, IsSkippedUnlessItIsAskedFor) {
  const char* const before = std::getenv("WB_LONG");
  const std::string asked = before ? before : "";
  ::unsetenv("WB_LONG");
  EXPECT_TRUE(wb::has(tested("1"), "[       OK ]")) << tested("1");
  EXPECT_TRUE(wb::has(tested("2"), "WB_LONG=1 tries it")) << tested("2");
  EXPECT_FALSE(wb::has(tested("2"), "[       OK ]"));
  ::setenv("WB_LONG", "1", 1);
  EXPECT_TRUE(wb::has(tested("2"), "[       OK ]")) << tested("2");
  before ? ::setenv("WB_LONG", asked.c_str(), 1) : ::unsetenv("WB_LONG");
}

}  // namespace
