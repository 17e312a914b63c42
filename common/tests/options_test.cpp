#include "programs/options.h"

#include <gtest/gtest.h>

#include <set>

#include "failure_of.h"
#include "has.h"
#include "measure/random_cases.h"

namespace wb {
namespace {

using namespace std::string_literals;

Options parsed(std::vector<const char*> arguments, std::vector<std::string>* rest = nullptr) {
  arguments.insert(arguments.begin(), "lesson");
  std::vector<std::string> ignored;
  return parse_options(static_cast<int>(arguments.size()), arguments.data(),
                       rest ? *rest : ignored);
}

Problem problem() {
  Problem p;
  p.lesson = "ch/01_x";
  p.bench = {{{"size", "small"}, {"dtype", "fp32"}, {"op", "relu"}, {"n", 8}},
             {{"size", "large"}, {"dtype", "fp16"}, {"op", "gelu"}, {"n", 64}}};
  p.test = {{{"n", 1}, {"late", 1}}};
  p.sweeps = {{"n", 1, 10}, {"stride", 2, 8}};
  return p;
}

std::vector<Case> cases(std::vector<const char*> arguments, const Problem& p = problem()) {
  return chosen_cases(p, {}, parsed(std::move(arguments)));
}
std::string labels(std::vector<const char*> arguments, const Problem& p = problem()) {
  std::string text;
  for (const Case& c : cases(std::move(arguments), p)) text += (text.empty() ? "" : " ") + label(c);
  return text;
}

TEST(Options, AMistypedFlagIsNamedWithTheNearest) {
  const auto why = [](const char* word) { return failure_of([&] { parsed({word}); }); };
  EXPECT_EQ(why("--sise=small"), std::pair(2, "there is no flag --sise: did you mean --size?"s));
  EXPECT_EQ(why("--Cahce"), std::pair(2, "there is no flag --Cahce: did you mean --cache?"s));
  for (const char* word : {"--x", "-q", "--nothing-of-the-kind=1", "---"})
    EXPECT_TRUE(why(word).second.ends_with("; see --help")) << why(word).second;
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
  for (const char* bad : {"--nosuch",
                          "--backend=gpu",
                          "--cache=warm",
                          "--seed=x",
                          "--benchmark_filter=(",
                          "--benchmark_min_time=soon",
                          "--benchmark_min_time=-1",
                          "--benchmark_repetitions=0",
                          "--benchmark_out_format=csv",
                          "--benchmark_min_time=nan",
                          "--benchmark_min_time=inf",
                          "--benchmark_min_time=1e999",
                          "--benchmark_min_time=1x",
                          "--benchmark_min_time=",
                          "--benchmark_repetitions=99999999999",
                          "--benchmark_repetitions=nan",
                          "--benchmark_repetitions=1e3",
                          "--seed=nan",
                          "--seed=inf",
                          "--seed=1e400",
                          "--seed=18446744073709551616",
                          "--unlisted=0",
                          "--unlisted=many",
                          "--seed=1.5"}) {
    const auto [code, line] = failure_of([&] { parsed({bad}); });
    EXPECT_EQ(code, 2) << bad;
    EXPECT_FALSE(has(line, "\n"));
  }
}

TEST(Options, AxesChooseAmongTheCases) {
  EXPECT_EQ(labels({}), "small,fp32,relu,n=8 large,fp16,gelu,n=64");
  EXPECT_EQ(labels({"--size=large"}), "large,fp16,gelu,n=64");
  EXPECT_EQ(labels({"--axis", "op=relu", "--dtype=fp32"}), "small,fp32,relu,n=8");
  EXPECT_EQ(labels({"--axis=n=64"}), "large,fp16,gelu,n=64");
  EXPECT_EQ(labels({"--first"}), "small,fp32,relu,n=8");
  const auto [code, line] = failure_of([] { cases({"--size=huge"}); });
  EXPECT_EQ(code, 2);
  EXPECT_TRUE(has(line, "--size: small large"));
}

TEST(Options, WordsThatOnlyOtherCasesHaveArePutIn) {
  EXPECT_EQ(labels({"--size=large", "--op=relu"}), "large,fp16,relu,n=64");
  Problem p = problem();
  p.bench_cpu = {{{"size", "small"}, {"dtype", "fp32"}, {"op", "relu"}, {"n", 2}}};
  p.test.push_back({{"op", "silu"}, {"n", 1}});
  const auto on_cpu = [&](std::vector<const char*> arguments) {
    return label(chosen_cases(p, {.small_cases = true}, parsed(std::move(arguments))).at(0));
  };
  EXPECT_EQ(on_cpu({"--op=gelu"}), "small,fp32,gelu,n=2");
  EXPECT_EQ(on_cpu({"--op=silu"}), "small,fp32,silu,n=2");
  EXPECT_EQ(failure_of([&] { on_cpu({"--op=erf"}); }).first, 2);
  EXPECT_EQ(failure_of([&] { on_cpu({"--size=large"}); }).first, 2)
      << "its numbers stay as they were";
}

// A lesson of one operation goes by its own name, or by the one its problem gives it.
TEST(Options, AnOperationMayBeTheLesson) {
  Problem p = problem();
  p.bench = {{{"n", 3}}, {{"n", 4}}};
  EXPECT_EQ(labels({"--op=x"}, p), "n=3 n=4");
  EXPECT_EQ(failure_of([&] { cases({"--op=matmul"}, p); }).first, 2);
  p.operation = "matmul";
  EXPECT_EQ(labels({"--op=matmul"}, p), "n=3 n=4");
  EXPECT_EQ(failure_of([&] { cases({"--op=x"}, p); }).first, 2);
  p = problem();
  p.lesson = "ch/06_gelu";  // one of the lesson's operations has its name
  EXPECT_EQ(labels({"--op=gelu"}, p), "large,fp16,gelu,n=64");
}

TEST(Options, ASizeIsThatOfTheLargestArrayWhereNoCaseSaysIt) {
  Problem p = problem();
  p.bench = {{{"n", 512}}, {{"n", 2048}}, {{"n", 4096}}, {{"n", 8192}}};
  p.bind = [](Binder& io, const Case& c) {
    io.in<float>("x", c["n"]);
    io.out<float>("y", c["n"] * c["n"]);
    return std::shared_ptr<void>();
  };
  EXPECT_EQ(labels({"--size=small"}, p), "n=512");
  EXPECT_EQ(labels({"--size=medium"}, p), "n=2048");
  EXPECT_EQ(labels({"--size=large"}, p), "n=4096");
  EXPECT_EQ(labels({"--size=xlarge"}, p), "n=8192");
  p.bench.pop_back();
  const auto [code, line] = failure_of([&] { cases({"--size=xlarge"}, p); });
  EXPECT_EQ(code, 2);
  EXPECT_TRUE(has(line, "no case of that size; --size: small medium large"));
}

// What is counted and not timed is counted in little work, each case once.
TEST(Options, LargeCasesThatBecomeTheSameAreOne) {
  Problem p = problem();
  p.bench = {{{"n", 1 << 24}}, {{"n", 1 << 26}}, {{"n", 512}}};
  p.bind = [](Binder& io, const Case& c) {
    io.in<float>("x", c["n"]);
    return std::shared_ptr<void>();
  };
  p.cost = [](const void*) { return Cost{}; };
  std::string text;
  for (const Case& c : chosen_cases(p, {.untimed = true}, parsed({}))) text += label(c) + " ";
  EXPECT_EQ(text, "n=2097152 n=512 ");
}

TEST(Options, NumbersMakeACaseOfTheirOwn) {
  EXPECT_EQ(labels({"--axis=n=1000"}), "fp32,relu,n=1000");  // and the class of sizes goes
  EXPECT_EQ(labels({"--axis=n=9", "--op=gelu"}), "fp16,gelu,n=9");
  EXPECT_EQ(labels({"--axis=n=9", "--axis", "late=1"}), "fp32,relu,n=9,late=1");
  EXPECT_EQ(labels({"--axis=n=0"}), "fp32,relu,n=0");
  EXPECT_EQ(failure_of([] { cases({"--axis=n=9", "--op=nosuch"}); }).first, 2);
  for (const char* bad : {"--axis=n=x", "--axis=n=-1", "--axis=n=1e3", "--axis=q=1", "--axis=n=1,",
                          "--axis=n=99999999999999999999", "--axis=n", "--axis==1", "--axis=n="})
    EXPECT_EQ(failure_of([&] { cases({bad}); }).first, 2) << bad;
  const auto [code, line] = failure_of([] { cases({"--axis=q=1"}); });
  EXPECT_TRUE(has(line, "it has size, dtype, op, n"));
  EXPECT_EQ(failure_of([] {
              cases({"--axis=n=1099511627776", "--axis=late=1099511627776"});
            }).first,
            3);
}

TEST(Options, AnyWordWhereTheProblemSaysSo) {
  Problem p = problem();
  EXPECT_EQ(failure_of([&] { cases({"--op=erf"}, p); }).first, 2);
  p.any_word = {"op"};
  EXPECT_EQ(labels({"--op=erf"}, p), "small,fp32,erf,n=8");
  EXPECT_EQ(labels({"--op=0,2"}, p), "small,fp32,op=0,2,n=8");
}

TEST(Options, SweepsWalkAnAxisThatTheCaseMayLack) {
  EXPECT_EQ(labels({"--sweep=n"}),
            "fp32,relu,n=1 fp32,relu,n=2 fp32,relu,n=4 fp32,relu,n=8 fp32,relu,n=10");
  EXPECT_EQ(labels({"--sweep=stride", "--op=gelu", "--fast"}),
            "fp16,gelu,n=64,stride=2 fp16,gelu,n=64,stride=8");
  EXPECT_EQ(failure_of([] { cases({"--sweep=op"}); }).first, 2);
}

TEST(Options, ArgumentsSayTheSameAgain) {
  const auto again = [](std::vector<const char*> words) {
    const std::vector<std::string> texts = arguments(parsed(std::move(words)));
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return arguments(parsed(pointers)) == texts ? texts.size() : 0;
  };
  EXPECT_EQ(again({}), 2u);  // --backend, and the seed that was drawn
  EXPECT_NE(parsed({}).seed, parsed({}).seed);
  EXPECT_EQ(again({"--size=small", "--axis=a=0,2", "--cache=hot", "--seed=7", "--sweep=n", "--fast",
                   "--peer=pytorch", "--variant=a,b", "--first", "--backend=cpu", "--allow-suspect",
                   "--counters"}),
            12u);
}

TEST(Options, FilterIsARegularExpressionWithAnInverse) {
  EXPECT_TRUE(passes(parsed({}), "a/baseline/cpu/n=1"));
  EXPECT_TRUE(passes(parsed({"--benchmark_filter=base.*cpu"}), "a/baseline/cpu/n=1"));
  EXPECT_FALSE(passes(parsed({"--benchmark_filter=cuda"}), "a/baseline/cpu/n=1"));
  EXPECT_FALSE(passes(parsed({"--benchmark_filter=-baseline"}), "a/baseline/cpu/n=1"));
}

TEST(RandomCases, HaveSizesThatNobodyListed) {
  Problem problem;
  problem.bind = [](Binder& io, const Case& c) {
    if (c["rows"] == 3) throw Unsupported("not three");
    io.in<float>("x", c["rows"] * c["columns"]);
    return std::make_shared<double>(static_cast<double>(c["rows"] * c["columns"]));
  };
  problem.cost = [](const void* elements) {
    return Cost{.read = *static_cast<const double*>(elements)};
  };
  problem.test = {{{"op", "a"}, {"rows", 64}, {"columns", 1024}, {"late", 0}},
                  {{"op", "b"}, {"rows", 1}, {"columns", 128}, {"late", 1}},
                  {{"op", "a"}, {"rows", 128}, {"columns", 256}, {"late", 1}}};
  const std::vector<Case> cases = random_cases(problem, 200, 7);
  ASSERT_EQ(cases.size(), 200u);
  int ragged = 0, beside_a_power_of_two = 0;
  for (const Case& c : cases) {
    EXPECT_TRUE(c.word("op") == std::string("a") || c.word("op") == std::string("b"));
    EXPECT_TRUE(c["rows"] >= 1 && c["rows"] <= 128 && c["rows"] != 3) << label(c);
    EXPECT_TRUE(c["columns"] >= 1 && c["columns"] <= 1024) << label(c);
    EXPECT_TRUE(c["late"] == 0 || c["late"] == 1);
    EXPECT_LE(c["rows"] * c["columns"], 64 * 1024) << "dearer than the dearest";
    ragged += c["rows"] % 4 != 0 && c["columns"] % 4 != 0;
    for (const i64 n : {c["columns"] - 1, c["columns"] + 1})
      beside_a_power_of_two += n > 8 && (n & (n - 1)) == 0;
  }
  EXPECT_GT(ragged, 20);
  EXPECT_GT(beside_a_power_of_two, 10);
  EXPECT_TRUE(random_cases(problem, 200, 7) == cases);
  EXPECT_FALSE(random_cases(problem, 200, 8) == cases);
}

// Of eight cases four end their arrays where pages can; each axis is odd in one of them or more.
TEST(RandomCases, EndWherePagesDoWithRowsThatDoNot) {
  Problem problem;
  problem.bind = [](Binder& io, const Case& c) {
    io.in<float>("a", c["m"] * c["k"]), io.in<float>("b", c["k"] * c["n"]);
    io.out<float>("c", c["m"] * c["n"]);
    return std::make_shared<double>();
  };
  problem.cost = [](const void*) { return Cost{.read = 1}; };
  problem.test = {{{"m", 129}, {"n", 127}, {"k", 65}},
                  {{"m", 1}, {"n", 200}, {"k", 200}},
                  {{"m", 256}, {"n", 256}, {"k", 256}}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::set<std::string> odd;
    for (const Case& c : random_cases(problem, 8, seed))
      if (c["m"] * c["k"] % 64 == 0 && c["k"] * c["n"] % 64 == 0 && c["m"] * c["n"] % 64 == 0)
        for (const Axis& axis : c)
          if (axis.number % 2 == 1) odd.insert(axis.name);
    EXPECT_EQ(odd.size(), 3u) << seed;
  }
}

// Of eight cases four are of the goal's type and operation, or an exercise for one type alone would
// meet next to nothing. Shapes in words say nothing, and where no listed case fits, all do.
TEST(RandomCases, AreOfTheGoalsTypeByHalf) {
  Problem problem;
  problem.bind = [](Binder&, const Case&) { return std::make_shared<double>(); };
  problem.cost = [](const void*) { return Cost{.read = 1}; };
  for (const char* dtype : {"fp32", "fp16", "bf16"})
    for (const char* op : {"sum", "max", "mean"})
      for (const char* shape : {"3x5", "7x9"})
        problem.test.push_back({{"op", op}, {"dtype", dtype}, {"n", 100}, {"shape", shape}});
  const Case goal = {{"size", "large"}, {"op", "max"}, {"dtype", "bf16"}, {"shape", "64x64"}};
  const auto of_goal = [&](const std::vector<Case>& like, std::uint64_t seed) {
    return std::ranges::count_if(random_cases(problem, 8, seed, like), [&](const Case& c) {
      return std::string_view(c.word("op")) == "max" && std::string_view(c.word("dtype")) == "bf16";
    });
  };
  int without = 0;
  std::set<std::string> shapes;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_GE(of_goal({goal}, seed), 4) << seed;
    without += of_goal({}, seed) < 4;
    for (const Case& c : random_cases(problem, 8, seed, {goal})) shapes.insert(c.word("shape"));
    EXPECT_EQ(random_cases(problem, 8, seed, {{{"dtype", "fp64"}}}).size(), 8u);
  }
  EXPECT_GT(without, 10);
  EXPECT_EQ(shapes.size(), 2u);
}

// To be timed: of a listed size in bytes, of no listed shape, and thin in either axis.
TEST(UnlistedCases, AreLargeOnesOfOtherShapes) {
  Problem problem;
  problem.bind = [](Binder& io, const Case& c) {
    io.in<float>("x", c["rows"] * c["columns"]);
    return std::make_shared<double>(static_cast<double>(c["rows"] * c["columns"]));
  };
  problem.cost = [](const void* elements) {
    return Cost{.read = *static_cast<const double*>(elements)};
  };
  const std::vector<Case> bench = {{{"op", "a"}, {"rows", 1}, {"columns", 1 << 20}},
                                   {{"op", "a"}, {"rows", 1 << 10}, {"columns", 1 << 10}},
                                   {{"op", "a"}, {"rows", 1 << 20}, {"columns", 1}}};
  const std::vector<Case> cases = unlisted_cases(problem, bench, 100, 7);
  ASSERT_EQ(cases.size(), 100u);
  int flat = 0, tall = 0;
  for (const Case& c : cases) {
    const i64 elements = c["rows"] * c["columns"];
    EXPECT_TRUE(elements <= 1 << 20 && elements >= (1 << 20) / 20) << label(c);
    EXPECT_EQ(std::ranges::find(bench, c), bench.end());
    flat += c["rows"] < 100, tall += c["columns"] < 100;
  }
  EXPECT_GT(std::min(flat, tall), 10);
  EXPECT_TRUE(unlisted_cases(problem, bench, 100, 7) == cases);
  EXPECT_FALSE(unlisted_cases(problem, bench, 100, 8) == cases);
  Options options = parsed({"--unlisted=5", "--seed=7"});
  EXPECT_EQ(failure_of([&] { chosen_cases(wb::problem(), {}, options); }).first, 2)
      << "no size there";
}

// Whole tiles stay whole and ragged ones ragged, there are blocks enough for a partial one, and
// which size gives is drawn.
TEST(SmallerCases, KeepTheirKind) {
  Problem problem;
  problem.bind = [](Binder& io, const Case& c) {
    if (c["stride"] < c["columns"]) throw Unsupported("rows overlap");
    io.in<float>("x", c["rows"] * c["stride"]);
    return std::make_shared<double>(static_cast<double>(c["rows"] * c["columns"]));
  };
  problem.cost = [](const void* all) { return Cost{.read = *static_cast<const double*>(all)}; };
  for (const i64 n : {1, 31, 33, 127, 129, 2203, 4096})
    problem.test.push_back(
        {{"op", "a"}, {"rows", n}, {"columns", n}, {"stride", n}, {"late", n % 2}});
  std::set<std::string> gave;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const i64 rows : {129, 2203, 4096})
      for (const double share : {0.5, 0.1, 0.0}) {
        const Case c = {
            {"op", "a"}, {"rows", rows}, {"columns", 1000}, {"stride", 1055}, {"late", 1}};
        const auto less = smaller(problem, c, share, seed);
        ASSERT_TRUE(less);
        EXPECT_EQ(std::string_view(less->word("op")), "a");
        EXPECT_EQ((*less)["late"], 1);
        for (const char* name : {"rows", "columns", "stride"}) {
          EXPECT_EQ((*less)[name] % 32, c[name] % 32) << label(*less);
          EXPECT_EQ((*less)[name] % 64 == 0, c[name] % 64 == 0) << label(*less);
          EXPECT_TRUE((*less)[name] >= 32 && (*less)[name] <= c[name]) << label(*less);
          if ((*less)[name] < c[name]) gave.insert(name);
        }
        if (rows < 192) {
          EXPECT_EQ((*less)["rows"], rows);
        }
        EXPECT_LT((*less)["rows"] * (*less)["stride"] * (*less)["columns"], rows * 1000 * 1055);
        EXPECT_GE((*less)["stride"], (*less)["columns"]);
        EXPECT_TRUE(smaller(problem, c, share, seed) == less);
      }
  EXPECT_EQ(gave.size(), 3u);
  for (const i64 n : {0, 1, 31, 33, 64, 127, 129, 191})
    EXPECT_FALSE(smaller(problem, {{"rows", n}, {"columns", n}, {"stride", n}}, 0.1, 7)) << n;
}

// Rows may lie far apart: then an array holds much more than what is read of it.
TEST(RandomCases, HaveNoLargerArraysThanListedOnes) {
  Problem problem;
  problem.bind = [](Binder& io, const Case& c) {
    io.in<float>("x", c["rows"] * c["stride"]);
    return std::make_shared<double>(static_cast<double>(c["rows"]));
  };
  problem.cost = [](const void* rows) { return Cost{.read = *static_cast<const double*>(rows)}; };
  problem.test = {{{"rows", 1000}, {"stride", 10}},
                  {{"rows", 10}, {"stride", 100}},
                  {{"rows", 2}, {"stride", 60'000}}};
  for (const Case& c : random_cases(problem, 200, 7))
    EXPECT_LE(c["rows"] * c["stride"], 2 * 60'000) << label(c);
}

}  // namespace
}  // namespace wb
