// What counts as right, and what a launch finds.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "device/backends.h"
#include "measure/random_cases.h"
#include "measure/trial.h"
#include "wb/half.h"
#include "wb/profiles.h"

namespace wb {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A problem with one output, of which every element is to be `want`.
template <class T> Problem constant(T want, Tolerance (*tolerance)(const void*)) {
  Problem problem;
  problem.lesson = "constant";
  problem.bind = [](Binder& io, const Case&) { return std::make_shared<T*>(io.out<T>("y", 3)); };
  problem.cost = [](const void*) { return Cost{}; };
  problem.tolerance = tolerance;
  static T value;
  value = want;
  problem.reference = [](const void* args, Sampler&) {
    std::fill_n(*static_cast<T* const*>(args), 3, value);
  };
  return problem;
}

Tolerance strict(const void*) { return {}; }
Tolerance wide(const void*) { return {.rel = 0.5, .abs = 0.5}; }
Tolerance with_nan(const void*) { return {.nan = true}; }

// What is said of `got` in the middle, looked at as a whole and as a single element: both agree.
template <class T> bool is_right(T want, T got, Tolerance (*tolerance)(const void*) = wide) {
  const Problem problem = constant(want, tolerance);
  Answers answers(problem, {}, 1);
  const T all[] = {want, got, want};
  WorstError worst;
  const auto* bytes = reinterpret_cast<const std::byte*>(all);
  const std::string whole = answers.check(0, 0, bytes, worst);
  const std::string one = answers.check_element(0, 1, 0, bytes + sizeof(T), worst);
  EXPECT_EQ(whole.empty(), one.empty()) << whole << " | " << one;
  EXPECT_TRUE(whole.empty() || whole.starts_with("y: 1 of 3 wrong, first y[1] = ")) << whole;
  return whole.empty();
}

TEST(Answers, AnElementIsNamedByTheAxesOfItsProblem) {
  Problem problem = constant(1.0f, strict);
  problem.bind = [](Binder& io, const Case&) {
    return std::make_shared<float*>(io.out<float>("y", {{"head", 2}, {"row", 3}, {"column", 5}}));
  };
  problem.reference = [](const void* args, Sampler&) {
    std::fill_n(*static_cast<float* const*>(args), 30, 1.0f);
  };
  std::vector<float> got(30, 1.0f);
  got[15 + 2 * 5 + 4] = 2;
  WorstError worst;
  const std::string said =
      Answers(problem, {}, 1).check(0, 0, reinterpret_cast<const std::byte*>(got.data()), worst);
  EXPECT_TRUE(said.find("first y[29] (head 1, row 2, column 4) = 2, want 1") != std::string::npos)
      << said;
}

TEST(Answers, InfinitiesMustBeEqual) {
  EXPECT_TRUE(is_right(kInfinity, kInfinity));
  EXPECT_TRUE(is_right(-kInfinity, -kInfinity));
  EXPECT_FALSE(is_right(kInfinity, -kInfinity));
  EXPECT_FALSE(is_right(-kInfinity, kInfinity));
  EXPECT_FALSE(is_right(kInfinity, std::numeric_limits<float>::max()));
  EXPECT_FALSE(is_right(std::numeric_limits<float>::max(), kInfinity));
  EXPECT_FALSE(is_right(kInfinity, kNaN));
  EXPECT_TRUE(is_right(half(1e9), half(1e9)));
  EXPECT_FALSE(is_right(half(1e9), half(-1e9)));
}

TEST(Answers, NaNIsRightOnlyWhereItIsAskedFor) {
  const bool numbers_too = is_right(1.0f, 1.0f, with_nan);
  EXPECT_TRUE(numbers_too);
  EXPECT_FALSE(is_right(1.0f, kNaN));
  EXPECT_FALSE(is_right(1.0f, kNaN, with_nan));
  EXPECT_FALSE(is_right(bfloat16(1), bfloat16(kNaN), with_nan));
}

TEST(Answers, ANaNThatTheReferenceHas) {
  for (const bool allowed : {false, true}) {
    const Problem problem = constant(kNaN, allowed ? with_nan : strict);
    Answers answers(problem, {}, 1);
    const float numbers[] = {kNaN, 1, kNaN}, same[] = {kNaN, -kNaN, kNaN};
    WorstError worst;
    const auto said = [&](const float* got) {
      return answers.check(0, 0, reinterpret_cast<const std::byte*>(got), worst);
    };
    EXPECT_EQ(said(same).empty(), allowed);
    EXPECT_FALSE(said(numbers).empty());
  }
}

TEST(Answers, IntegersAreComparedAsIntegers) {
  constexpr std::int64_t k53 = std::int64_t{1} << 53;
  EXPECT_TRUE(is_right(k53 + 1, k53 + 1, strict));
  EXPECT_FALSE(is_right(k53, k53 + 1, strict));
  EXPECT_FALSE(is_right(k53 + 1, k53, strict));
  EXPECT_FALSE(
      is_right(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  EXPECT_TRUE(is_right<std::uint8_t>(255, 255, strict));
  EXPECT_FALSE(is_right<std::uint8_t>(255, 254, strict));
  EXPECT_FALSE(is_right<std::uint8_t>(0, 255, strict));
  EXPECT_FALSE(is_right<std::uint32_t>(0, 0xFFFF'FFFF, strict));
  EXPECT_FALSE(is_right<std::int32_t>(-1, 1, strict));
}

TEST(Answers, APatternOfWrongElementsIsNamed) {
  Problem problem = constant(1.0f, strict);
  problem.bind = [](Binder& io, const Case&) {
    return std::make_shared<float*>(io.out<float>("y", 96));
  };
  problem.reference = [](const void* args, Sampler&) {
    std::fill_n(*static_cast<float* const*>(args), 96, 1.0f);
  };
  const auto said = [&](auto is_wrong) {
    std::vector<float> got(96, 1.0f);
    for (int i = 0; i < 96; ++i)
      if (is_wrong(i)) got[i] = 2;
    WorstError worst;
    const std::string text =
        Answers(problem, {}, 1).check(0, 0, reinterpret_cast<const std::byte*>(got.data()), worst);
    return text.substr(0, text.find(", first y["));
  };
  EXPECT_EQ(said([](int) { return true; }), "y: 96 of 96 wrong (all)");
  EXPECT_EQ(said([](int i) { return i > 92; }), "y: 3 of 96 wrong (the last 3)");
  EXPECT_EQ(said([](int i) { return i < 7; }), "y: 7 of 96 wrong (the first 7)");
  EXPECT_EQ(said([](int i) { return i > 7 && i < 16; }), "y: 8 of 96 wrong (8 to 15)");
  EXPECT_EQ(said([](int i) { return i % 32 == 31; }),
            "y: 3 of 96 wrong (each with index % 32 == 31)");
  EXPECT_EQ(said([](int i) { return i % 8 == 1 && i != 41; }),
            "y: 11 of 96 wrong (only where index % 8 == 1)");
  EXPECT_EQ(said([](int i) { return i == 5; }), "y: 1 of 96 wrong");
  EXPECT_EQ(said([](int i) { return i == 5 || i == 6 || i == 50; }), "y: 3 of 96 wrong");
}

// C = A B of 16-bit numbers, of which the reference computes nothing: it is checked as a product.
template <class T> struct Halves {
  static constexpr i64 kRows = 40, kColumns = 301, kTerms = 200;
  const T *a, *b;
  T* c;
  static Problem problem() {
    Problem p;
    p.lesson = "halves";
    p.bind = [](Binder& io, const Case&) {
      return std::make_shared<Halves>(Halves{io.in<T>("a", kRows * kTerms),
                                             io.in<T>("b", kTerms * kColumns),
                                             io.out<T>("c", kRows * kColumns)});
    };
    p.cost = [](const void*) { return Cost{}; };
    p.tolerance = [](const void*) {
      return Tolerance{.rel = 2 * kRounding<T>, .abs = 2 * kTerms * 0x1p-24, .sampled = true};
    };
    p.reference = [](const void*, Sampler&) {};
    p.products = [](const void* args) -> std::vector<Product> {
      const Halves& h = *static_cast<const Halves*>(args);
      return {{{h.a, kRows, kTerms, kTerms, 1},
               {h.b, kTerms, kColumns, kColumns, 1},
               {h.c, kRows, kColumns, kColumns, 1}}};
    };
    return p;
  }
  // What is said of a C whose element (row, column) adds up the first terms(row, column) products.
  static std::string said(std::uint64_t seed, i64 (*terms)(i64 row, i64 column)) {
    const Problem p = problem();
    Answers answers(p, {}, seed);
    const auto* a = reinterpret_cast<const T*>(answers.arrays()[0].initial[0].data());
    const auto* b = reinterpret_cast<const T*>(answers.arrays()[1].initial[0].data());
    std::vector<T> c;
    for (i64 row = 0; row < kRows; ++row)
      for (i64 column = 0; column < kColumns; ++column) {
        double sum = 0;
        for (i64 l = 0; l < terms(row, column); ++l)
          sum += double{a[row * kTerms + l]} * b[l * kColumns + column];
        c.emplace_back(sum);
      }
    WorstError worst;
    return answers.check(2, 0, reinterpret_cast<const std::byte*>(c.data()), worst);
  }
};

template <class T> void expect_products_are_checked() {
  using H = Halves<T>;
  for (int seed = 0; seed < 10; ++seed) {  // what is rounded right is right
    EXPECT_EQ(H::said(seed, [](i64, i64) { return H::kTerms; }), "");
    const std::string slice =
        H::said(seed, [](i64 row, i64) { return row < 16 ? H::kTerms : H::kTerms - 16; });
    EXPECT_TRUE(slice.starts_with("c: the row from c[") && slice.ends_with("of the product"))
        << slice;
    EXPECT_FALSE(slice.starts_with("c: the row from c[0]")) << slice;
    EXPECT_NE(H::said(seed, [](i64, i64 j) { return j / 16 == 3 ? 0 : H::kTerms; }), "");
  }
}
TEST(Answers, AProductOf16BitNumbersIsCheckedWhole) {
  expect_products_are_checked<half>();
  expect_products_are_checked<bfloat16>();
}

// What bind() asks for when it is called for the nth time.
struct Changing {
  Problem problem;
  int calls = 0;
  Changing(int nth, std::function<void(Binder&)> other) {
    problem.lesson = "changing";
    problem.bind = [this, nth, other](Binder& io, const Case&) {
      if (++calls == nth)
        other(io);
      else
        io.in<float>("x", 100), io.out<float>("y", 100);
      return std::make_shared<int>(0);
    };
    problem.cost = [](const void*) { return Cost{}; };
    problem.tolerance = [](const void*) { return Tolerance{.sampled = true}; };
    problem.reference = [](const void*, Sampler&) {};
  }
};

// Both write 1.25 for 1; one promises to be off by a half at most, the other nothing.
TEST(Answers, AVariantIsHeldToItsOwnBoundAndAnExerciseIsNot) {
  const Problem problem = constant(1.0f, [](const void*) { return Tolerance{.rel = 0.1}; });
  const auto backend = make_cpu_backend();
  Data data(problem, {}, *backend, 1);
  const auto make = [](const void* args) -> Launch {
    return [y = *static_cast<float* const*>(args)](void*) { std::fill_n(y, 3, 1.25f); };
  };
  const auto half = [](const void*) { return 0.5; };
  const Variant rough{&problem, "rough", "cpu", make, "", {}, half},
      fine{&problem, "fine", "cpu", make},
      exercise{.problem = &problem,
               .name = "exercise",
               .backend = "cpu",
               .make = make,
               .bound = half,
               .judged = true};
  Trial a(rough, data, *backend), b(fine, data, *backend), c(exercise, data, *backend);
  EXPECT_EQ(a.bound(), 0.5);
  EXPECT_EQ(b.bound(), 0.1);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(a.verify(), "");
    EXPECT_NE(b.verify(), "");
    EXPECT_NE(c.verify(), "");
    std::string error_a, error_b;
    a.sample({.budget = 1e-3}, error_a), b.sample({.budget = 1e-3}, error_b);
    EXPECT_EQ(error_a, "");
    EXPECT_NE(error_b, "");
  }
}

// What bounds for uniform values hold for, and what subnormal numbers are.
TEST(Profiles, StayAmongUniformValues) {
  for (const char* profile : kProfiles) {
    const bool denormal = profile == std::string("denormal");
    const Fill fill = profiled(profile, Type::f32, {.row = 37}, 0);
    int infinite = 0, other = 0;
    for (i64 i = 0; i < 37 * 40; ++i) {
      const double v = fill(i, 5);
      if (std::isinf(v)) {
        EXPECT_LT(v, 0);
        ++infinite;
        continue;
      }
      EXPECT_TRUE(v >= -1 && v < 1) << profile << " " << v;
      EXPECT_TRUE(denormal ? std::abs(v) <= 0x1p-126 : v * 0x1p23 == std::floor(v * 0x1p23))
          << profile << " " << v;
      other += fill(i, 6) != v;
    }
    EXPECT_EQ(infinite > 0, profile == std::string("inf"));
    EXPECT_GT(other, 100) << profile << " does not go by its seed";
  }
  EXPECT_THROW(profiled("flat", Type::f32, {.row = 1}, 0), std::invalid_argument);
  EXPECT_FALSE(profiled<float>({{"n", 3}}, {.row = 3}, 0)) << "the case has none";
}

TEST(Profiles, AreOfARowAndReachAsFarAsAProblemSays) {
  const auto row = [](const char* profile, Profiled how) {
    std::vector<double> values;
    how.row = 50, how.late = 3;
    const Fill fill = profiled(profile, Type::f32, how, 0);
    for (i64 i = 0; i < 50; ++i) values.push_back(fill(3 + 50 + i, 1));
    return values;
  };
  for (const double v : row("constant", {})) EXPECT_EQ(v, row("constant", {})[0]);
  for (const char* profile : kProfiles)
    for (const double v : row(profile, {.reach = 0.25}))
      EXPECT_TRUE(std::abs(v) <= 0.25 || std::isinf(v)) << profile << ": " << v;
  for (const double v : row("below", {.reach = 1000})) EXPECT_TRUE(v <= -500 && v >= -1000) << v;
  for (const double v : row("below", {.reach = -64})) EXPECT_TRUE(v >= 32 && v <= 64) << v;
  for (const double v : row("offset", {.reach = 1000})) EXPECT_GT(std::abs(v), 700);
  const auto sorted = row("sorted", {});
  EXPECT_TRUE(std::ranges::is_sorted(sorted) || std::ranges::is_sorted(sorted, std::greater<>()));
  const auto large = [](double v) { return std::abs(v) >= 0.5; };
  EXPECT_EQ(std::ranges::count_if(row("outlier", {.step = 0x1p-10}), large), 1);
}

// Where a problem knows no NaN, and refuses another one in bind().
TEST(Profiles, AreDrawnWhereTheProblemTakesThem) {
  for (const bool nan : {false, true}) {
    Problem problem = constant(1.0f, nan ? with_nan : strict);
    problem.bind = [bind = problem.bind](Binder& io, const Case& c) {
      if (c.word("profile") == std::string("sorted")) throw Unsupported("not these");
      io.in<float>("x", 4);
      return bind(io, c);
    };
    std::set<std::string> drawn;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::vector<Case> cases = with_profiles(problem, {{{"n", 1}}, {{"n", 2}}}, seed);
      EXPECT_FALSE(cases[0].find("profile")) << "the first one has uniform values";
      drawn.insert(cases[1].word("profile"));
    }
    EXPECT_EQ(drawn.size(), nan ? 7u : 6u);
    EXPECT_EQ(drawn.contains("inf"), nan);
    EXPECT_FALSE(drawn.contains("sorted") || drawn.contains(""));
  }
}

// Were each drawn by itself, seven cases would have five of eight profiles.
TEST(Profiles, AreAllDrawnBeforeOneIsDrawnAgain) {
  Problem problem = constant(1.0f, with_nan);
  problem.bind = [bind = problem.bind](Binder& io, const Case& c) {
    if (c["n"] == 0 && c.find("profile")) throw Unsupported("none here");
    io.in<float>("x", 4);
    return bind(io, c);
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<Case> cases;
    for (i64 i = 0; i < 18; ++i) cases.push_back({{"n", i % 9 ? 1 : 0}});
    std::map<std::string, int> times;
    for (const Case& c : with_profiles(problem, cases, seed)) ++times[c.word("profile")];
    EXPECT_EQ(times.size(), 1 + std::size(kProfiles));
    for (const auto& [profile, n] : times) EXPECT_EQ(n, 2) << profile;
  }
}

// A label says what the inputs have: none where the problem's own Fill knows no profile.
TEST(Profiles, AreNoLabelsOfInputsThatHaveNone) {
  for (const bool knows : {false, true}) {
    Problem problem = constant(1.0f, strict);
    problem.bind = [knows](Binder& io, const Case& c) {
      const double value = knows && c.find("profile") ? 0.5 : 0.25;
      io.in<float>("x", 4, [=](i64, std::uint64_t) { return value; });
      return std::make_shared<int>();
    };
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      EXPECT_EQ(
          with_profiles(problem, {{{"n", 1}}, {{"n", 2}}}, seed)[1].find("profile") != nullptr,
          knows);
  }
}

TEST(Answers, ForNothingNothingIsRead) {
  Problem problem = constant(1.0f, strict);
  problem.cost = [](const void*) { return Cost{.flops = 2, .read = 8}; };
  EXPECT_EQ(Answers(problem, {}, 1).cost().bytes(), 0);
  EXPECT_EQ(Answers(problem, {}, 1).cost().flops, 0);
  problem.cost = [](const void*) { return Cost{.read = 8, .write = 4}; };
  EXPECT_EQ(Answers(problem, {}, 1).cost().bytes(), 12);
  problem.cost = [](const void*) { return Cost{.read = 8, .to_device = 4}; };
  EXPECT_EQ(Answers(problem, {}, 1).cost().bytes(), 8);
}

TEST(Answers, BindMustAskForTheSameEachTime) {
  const auto backend = make_cpu_backend();
  const std::function<void(Binder&)> others[] = {
      [](Binder& io) { io.in<float>("x", 100'000), io.out<float>("y", 100); },
      [](Binder& io) { io.in<float>("x", 50), io.out<float>("y", 100); },
      [](Binder& io) { io.in<double>("x", 100), io.out<float>("y", 100); },
      [](Binder& io) { io.inout<float>("x", 100), io.out<float>("y", 100); },
      [](Binder& io) { io.in<float>("z", 100), io.out<float>("y", 100); },
      [](Binder& io) { io.in<float>("x", 100), io.out<float>("y", 100), io.out<float>("z", 1); },
      [](Binder& io) { io.in<float>("x", 100); },
  };
  // Once for its size, for two versions on the host, then on the device.
  for (const int nth : {3, 4})
    for (const auto& other : others) {
      Changing changing(nth, other);
      try {
        const Data data(changing.problem, {}, *backend, 1);
        ADD_FAILURE() << "nobody noticed";
      } catch (const std::runtime_error& e) {
        const std::string what = e.what();
        EXPECT_TRUE(what.starts_with("bind() asks for other arrays the second time: ") ||
                    what == "bind() asks for fewer arrays the second time: no y")
            << what;
      }
      EXPECT_EQ(changing.calls, nth);
    }
}

// y += x and z = x, which writes down what each launch found.
struct Diary {
  struct Args {
    i64 n;
    const float* x;
    float *y, *z;
  };
  Problem problem;
  Variant variant;
  std::vector<std::vector<float>> found;  // x and y before each launch
  int poisoned = 0;                       // launches that found nothing but poison in z

  Diary() {
    problem.lesson = "diary";
    problem.bind = [](Binder& io, const Case& c) {
      const i64 n = c["n"];
      return std::make_shared<Args>(
          Args{n, io.in<float>("x", n), io.inout<float>("y", n), io.out<float>("z", n)});
    };
    problem.cost = [](const void*) { return Cost{}; };
    problem.tolerance = [](const void*) { return Tolerance{.rel = 1e-6, .abs = 1e-6}; };
    problem.reference = [](const void* args, Sampler&) { run(*static_cast<const Args*>(args)); };
    variant = {&problem, "diary", "cpu", [this](const void* args) -> Launch {
                 return [this, p = *static_cast<const Args*>(args)](void*) { launch(p); };
               }};
  }

 private:
  static void run(const Args& p) {
    for (i64 i = 0; i < p.n; ++i) p.y[i] += p.x[i], p.z[i] = p.x[i];
  }
  void launch(const Args& p) {
    found.emplace_back(p.x, p.x + p.n);
    found.back().insert(found.back().end(), p.y, p.y + p.n);
    poisoned += std::all_of(p.z, p.z + p.n, [](const float& z) {
      return std::bit_cast<std::uint32_t>(z) == 0xFFFF'FFFF;
    });
    run(p);
  }
};

TEST(Trial, EachLaunchFindsPoisonAndOtherInputsThanTheOneBefore) {
  const auto backend = make_cpu_backend();
  for (const i64 n : {1, 2, 31, 4097})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Diary diary;
      Data data(diary.problem, {{"n", n}}, *backend, seed);
      Trial trial(diary.variant, data, *backend);
      ASSERT_EQ(trial.verify(), "");
      for (const Cache cache : {Cache::hot, Cache::cold}) {
        std::string error;
        trial.sample({.cache = cache, .budget = 1e-3, .at_most = 20}, error, cache == Cache::cold);
        ASSERT_EQ(error, "");
      }
      ASSERT_GE(diary.found.size(), 6u);
      EXPECT_EQ(diary.poisoned, static_cast<int>(diary.found.size()));
      for (std::size_t i = 1; i < diary.found.size(); ++i)
        ASSERT_NE(diary.found[i - 1], diary.found[i]) << "launch " << i << ", seed " << seed;
    }
}

TEST(Arrays, WorkBeforeTheLaunchIsSeen) {
  const auto backend = make_cpu_backend();
  const i64 n = 1000;
  Diary diary;
  Diary::Args p;
  const auto bind = diary.problem.bind;
  diary.problem.bind = [&](Binder& io, const Case& c) {
    const auto args = bind(io, c);
    p = *std::static_pointer_cast<Diary::Args>(args);
    return args;
  };
  Data data(diary.problem, {{"n", n}}, *backend, 1);
  for (const int version : {0, 1}) {
    data.arrays.load(version);
    data.arrays.prepare(version);
    EXPECT_EQ(data.arrays.untouched(), "");
    std::fill_n(p.z, n, 0.0f);
    EXPECT_TRUE(data.arrays.untouched().starts_with("z was written before the launch, at z["));
    data.arrays.load(version);
    data.arrays.prepare(version);
    for (i64 i = 0; i < n; ++i) p.y[i] += 1;
    EXPECT_TRUE(data.arrays.untouched().starts_with("y was written before the launch, at y["));
  }
}

}  // namespace
}  // namespace wb
