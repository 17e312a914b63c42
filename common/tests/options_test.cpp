#include "measure/options.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace wb {
namespace {

Options parsed(std::vector<const char*> arguments, std::vector<std::string>* rest = nullptr) {
  arguments.insert(arguments.begin(), "lesson");
  std::vector<std::string> ignored;
  return parse_options(static_cast<int>(arguments.size()), arguments.data(),
                       rest ? *rest : ignored);
}

// The exit code and line of a call that must fail; 0 when it does not.
template <class Call> std::pair<int, std::string> failure(Call call) {
  try {
    call();
  } catch (const Failure& e) {
    return {e.code, e.what()};
  }
  return {0, ""};
}

Problem problem() {
  Problem p;
  p.lesson = "ch/01_x";
  p.bench = {{.n = 8, .size = "small", .dtype = "fp32", .op = "relu"},
             {.n = 64, .size = "large", .dtype = "fp16", .op = "gelu"}};
  return p;
}

std::vector<Shape> shapes(std::vector<const char*> arguments) {
  return chosen_shapes(problem(), BackendKind::cpu, parsed(std::move(arguments)));
}

TEST(Options, DefaultsAndFast) {
  EXPECT_EQ(parsed({}).samples(), 9);
  EXPECT_DOUBLE_EQ(parsed({}).settings().budget, 0.05);
  EXPECT_EQ(parsed({"--fast"}).samples(), 5);
  EXPECT_LT(parsed({"--fast"}).settings().budget, 0.05);
  EXPECT_EQ(parsed({"--cache=hot"}).settings().cache, Cache::hot);
}

TEST(Options, BenchmarkFlagsAreTakenOrHandedOn) {
  std::vector<std::string> rest;
  const Options o = parsed({"--benchmark_repetitions=3", "--benchmark_min_time=0.2s",
                            "--benchmark_out=x.json", "--benchmark_counters_tabular=true"},
                           &rest);
  EXPECT_EQ(o.samples(), 3);
  EXPECT_DOUBLE_EQ(o.settings().budget, 0.2);
  EXPECT_EQ(o.out, "x.json");
  EXPECT_EQ(rest, std::vector<std::string>{"--benchmark_counters_tabular=true"});
  EXPECT_TRUE(parsed({"--benchmark_list_tests"}).stock);
  EXPECT_FALSE(o.stock);
}

TEST(Options, BadOnesGetOneLineAndCodeTwo) {
  for (const char* bad :
       {"--nosuch", "--backend=gpu", "--cache=warm", "--seed=x", "--benchmark_filter=(",
        "--benchmark_min_time=soon", "--benchmark_min_time=-1", "--benchmark_repetitions=0",
        "--benchmark_out_format=csv"}) {
    const auto [code, line] = failure([&] { parsed({bad}); });
    EXPECT_EQ(code, 2) << bad;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

TEST(Options, ChooseCases) {
  EXPECT_EQ(shapes({}).size(), 2u);
  EXPECT_EQ(shapes({"--size=large"}).at(0).n, 64);
  EXPECT_EQ(shapes({"--op=relu", "--dtype=fp32"}).at(0).n, 8);
  ASSERT_EQ(shapes({"--first"}).size(), 1u);
  EXPECT_STREQ(shapes({"--first"}).at(0).size, "small");
  const auto [code, line] = failure([] { shapes({"--size=huge"}); });
  EXPECT_EQ(code, 2);
  EXPECT_NE(line.find("small large"), std::string::npos) << line;
  EXPECT_EQ(failure([] { shapes({"--size=large", "--op=relu"}); }).first, 2);
}

TEST(Options, ExplicitExtents) {
  const Shape s = shapes({"--size=n=1000,m=7"}).at(0);
  EXPECT_EQ(s.n, 1000);
  EXPECT_EQ(s.m, 7);
  EXPECT_STREQ(s.op, "relu");  // names stay those of the first case,
  EXPECT_STREQ(shapes({"--size=n=9", "--op=gelu"}).at(0).op, "gelu");  // or of the one asked for
  EXPECT_EQ(failure([] { shapes({"--size=n=9", "--op=nosuch"}); }).first, 2);
  EXPECT_EQ(shapes({"--size=n=0"}).at(0).n, 0);
  for (const char* bad : {"--size=n=", "--size=n=x", "--size=n=-1", "--size=n=1e3", "--size=q=1",
                          "--size=n=1,,", "--size=n=99999999999999999999"})
    EXPECT_EQ(failure([&] { shapes({bad}); }).first, 2) << bad;
  EXPECT_EQ(failure([] { shapes({"--size=n=1099511627776,m=1099511627776"}); }).first, 3);
}

TEST(Options, FilterIsARegularExpressionWithAnInverse) {
  EXPECT_TRUE(passes(parsed({}), "a/baseline/cpu/n=1"));
  EXPECT_TRUE(passes(parsed({"--benchmark_filter=base.*cpu"}), "a/baseline/cpu/n=1"));
  EXPECT_FALSE(passes(parsed({"--benchmark_filter=cuda"}), "a/baseline/cpu/n=1"));
  EXPECT_FALSE(passes(parsed({"--benchmark_filter=-baseline"}), "a/baseline/cpu/n=1"));
}

}  // namespace
}  // namespace wb
