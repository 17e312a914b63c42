// The micro-kernels of this program as the compiler made them and spills.sh reads them: the page's
// statements on registers hold for the compiler at hand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "base/build_info.h"
#include "base/process.h"

namespace wb {
namespace {

struct Loop {
  int multiply_adds, loads, stack;
};
using Tile = std::pair<int, int>;  // floats per vector, rows; two vectors wide

Outcome spills(const std::string& program) {
  const std::string folder = std::string(source_folder()) + "/ch4_gemm_fusion/11_register_pressure";
  return run_process({folder + "/spills.sh", program}, 60);
}

// Empty where the script can't run, and for code that GCC has not optimized (with the sanitizer).
std::map<Tile, Loop> loops() {
  std::map<Tile, Loop> found;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
  const Outcome outcome = spills("/proc/" + std::to_string(getpid()) + "/exe");
  if (outcome.code == 3) return found;
  EXPECT_TRUE(outcome.fine()) << outcome.errors;
  std::istringstream lines(outcome.output);
  std::string titles;
  std::getline(lines, titles);
  int floats, rows, vectors;
  for (Loop l; lines >> floats >> rows >> vectors >> l.multiply_adds >> l.loads >> l.stack;)
    if (vectors == 2) found[{floats, rows}] = l;
  EXPECT_TRUE(lines.eof()) << outcome.output;
#endif
  return found;
}

TEST(Spills, OfEachTileTheLoopAlongKIsRead) {
  const auto all = loops();
  if (all.empty()) GTEST_SKIP() << "needs objdump, x86 and optimized code of GCC";
  EXPECT_GE(all.size(), 32u);
  for (const auto& [tile, loop] : all) {
    const auto [floats, rows] = tile;
    EXPECT_GT(loop.multiply_adds, 0);
    EXPECT_EQ(loop.multiply_adds % (2 * rows), 0) << rows << " rows of vectors of " << floats;
    EXPECT_GE(loop.loads, rows) << "vectors of " << floats;
  }
}

TEST(Spills, BeginWhereRegistersEnd) {
  const auto all = loops();
  if (all.empty()) GTEST_SKIP() << "needs objdump, x86 and optimized code of GCC";
  for (const auto& [floats, registers] : {std::pair(16, 32), std::pair(8, 16)}) {
    if (!all.contains({floats, 32})) continue;  // no AVX-512 here
    for (int rows = 1; rows <= (registers - 3) / 2; ++rows)
      EXPECT_EQ(all.at({floats, rows}).stack, 0) << rows << " rows of vectors of " << floats;
    for (int rows = registers / 2 + 1; rows <= 32; ++rows)  // more sums than registers
      EXPECT_GE(all.at({floats, rows}).stack, 2 * rows - registers)
          << rows << " rows of vectors of " << floats;
  }
}

TEST(Spills, SaysWhatItCantRead) {
  EXPECT_EQ(spills("/no/such/program").code, 5);
  const Outcome other = spills("/bin/sh");
  EXPECT_TRUE(other.code == 5 || other.code == 3) << other.code;
  EXPECT_NE(other.errors, "");
}

}  // namespace
}  // namespace wb
