// Candidates in CUDA compile where there is no GPU, for a GPU that is named.
#include "../build.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace {

using namespace tune;

constexpr Limits kHopper{.multiprocessors = 132, .compute = 90};

TEST(Build, WhatIsAnArgumentOfTheLaunchIsNotCompiledIn) {
  Space launch;
  launch.add("KIND", {0, 7, 9}, 0).add("PASSES", {1, 256}, 256, /*at_launch=*/true);
  EXPECT_EQ(launch.macros({1, 0}), "KIND=7");
  EXPECT_EQ(launch.words({1, 0}), "KIND=7 PASSES=1");
}

TEST(Build, OnACpu) {
  const wb::Scratch scratch;
  const std::string object = scratch.file("object");
  compile(WB_TESTS "/candidate.cpp", "KIND=0 PASSES=1", {}, object);
  EXPECT_EQ(wb::read_file(object).substr(1, 3), "ELF");
  try {
    compile(WB_TESTS "/candidate.cpp", "KIND=7 PASSES=1", {}, scratch.file("none"));
    ADD_FAILURE() << "it compiled";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("this one does not compile"), std::string::npos);
  }
}

// A name that is not known must not get the limits of a CPU: `sm_0` is compiled for no GPU.
TEST(Build, LimitsAreThoseOfTheBackend) {
  EXPECT_GT(limits_of("cpu").cores, 0);
  for (const char* other : {"", "simt", "nonsense"})
    EXPECT_THROW(limits_of(other), std::invalid_argument) << other;
#ifndef WB_WITH_CUDA
  EXPECT_THROW(limits_of("cuda"), std::runtime_error);
#endif
}

#ifdef WB_WITH_CUDA
TEST(Build, ForAGpu) {
  const wb::Scratch scratch;
  const std::string object = scratch.file("object");
  const auto compiled = [&](int kind) {
    compile(WB_TESTS "/candidate.cu", fmt::format("KIND={} BLOCK=256", kind), kHopper, object);
  };
  compiled(0);
  EXPECT_EQ(wb::read_file(object).substr(1, 3), "ELF");
  try {
    compiled(7);
    ADD_FAILURE() << "it compiled";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("this one does not compile"), std::string::npos);
  }
}
#endif

}  // namespace
