// What takes an emulator long: a case with more than 2^28 operations and bytes is left out of a
// lesson's tests, unless WB_LONG=1 asks for it. Here it merely says that it has so many.
#define WB_LESSON "common/tests/simt"
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/process.h"
#include "has.h"
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
