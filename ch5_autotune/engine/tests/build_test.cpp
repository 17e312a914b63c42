// Candidates in CUDA compile where there is no GPU, for a GPU that is named.
#include "../build.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"

namespace {

using namespace tune;

Tunable twice(const char* candidate) { return {WB_TESTS, "any", candidate, nullptr, nullptr}; }

Space space(const char* name) {
  Space s;
  s.add("KIND", {0, 7, 9}, 0).add(name, {1, 256}, 256);
  return s;
}

constexpr Limits kHopper{.multiprocessors = 132, .compute = 90};

TEST(Build, TheKeyChangesWithWhatIsCompiledIn) {
  const Tunable cpu = twice("candidate.cpp");
  Space s = space("PASSES");
  const std::string one = object_key(cpu, s, {0, 0}, {});
  EXPECT_EQ(one, object_key(cpu, s, {0, 0}, {}));
  EXPECT_NE(one, object_key(cpu, s, {0, 1}, {}));
  EXPECT_NE(one, object_key(twice("candidate.cu"), s, {0, 0}, {}));
  EXPECT_NE(one, object_key(cpu, s, {0, 0}, kHopper));
  Space launch;
  launch.add("KIND", {0, 7, 9}, 0).add("PASSES", {1, 256}, 256, /*at_launch=*/true);
  EXPECT_EQ(object_key(cpu, launch, {0, 0}, {}), object_key(cpu, launch, {0, 1}, {}));
}

TEST(Build, OnACpu) {
  const wb::Scratch scratch;
  const std::string object = scratch.file("object");
  compile(twice("candidate.cpp"), space("PASSES"), {0, 0}, {}, object);
  EXPECT_EQ(wb::read_file(object).substr(1, 3), "ELF");
  try {
    compile(twice("candidate.cpp"), space("PASSES"), {1, 0}, {}, scratch.file("none"));
    ADD_FAILURE() << "it compiled";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("this one does not compile"), std::string::npos);
  }
}

#ifdef WB_WITH_CUDA
TEST(Build, ForAGpu) {
  const wb::Scratch scratch;
  const std::string object = scratch.file("object");
  const Resources right = compile(twice("candidate.cu"), space("BLOCK"), {0, 1}, kHopper, object);
  EXPECT_EQ(wb::read_file(object).substr(1, 3), "ELF");
  EXPECT_GT(right.registers, 0);
  EXPECT_EQ(right.spilled, 0);
  EXPECT_EQ(compile(twice("candidate.cu"), space("BLOCK"), {0, 1}, kHopper, object).registers,
            right.registers);  // not known from a cache
  EXPECT_GT(compile(twice("candidate.cu"), space("BLOCK"), {2, 1}, kHopper, object).spilled, 0);
  try {
    compile(twice("candidate.cu"), space("BLOCK"), {1, 1}, kHopper, scratch.file("none"));
    ADD_FAILURE() << "it compiled";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("this one does not compile"), std::string::npos);
  }
}
#endif

}  // namespace
