#include "wb/half.h"

#include <gtest/gtest.h>

#include <random>

#include "device/backends.h"
#include "measure/trial.h"
#include "wb/half_cpu.h"

namespace wb {
namespace {

template <class T> class Half : public testing::Test {};
using Types = testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(Half, Types);

TYPED_TEST(Half, EveryValueComesBack) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    TypeParam value;
    value.bits = static_cast<std::uint16_t>(bits);
    const TypeParam back(static_cast<double>(float(value)));
    if (std::isnan(float(value)))
      EXPECT_TRUE(std::isnan(float(back)));
    else
      EXPECT_EQ(back.bits, bits);
  }
}

// The nearest of all values, found by search among neighbours.
TYPED_TEST(Half, RoundsToTheNearestAndTiesToEven) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    TypeParam low, high;
    low.bits = static_cast<std::uint16_t>(random() % 0x7BFE);  // positive, the next is finite too
    high.bits = static_cast<std::uint16_t>(low.bits + 1);
    const double a = float(low), b = float(high), middle = (a + b) / 2;
    EXPECT_EQ(TypeParam(middle).bits, low.bits % 2 == 0 ? low.bits : high.bits);
    EXPECT_EQ(TypeParam(std::nextafter(middle, 0.0)).bits, low.bits);
    EXPECT_EQ(TypeParam(std::nextafter(middle, 1e300)).bits, high.bits);
    EXPECT_EQ(TypeParam(-std::nextafter(middle, 1e300)).bits, high.bits | 0x8000);
  }
}

// What the CPU variants convert with, against the conversions for any value.
TYPED_TEST(Half, FastConversionsAgree) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    TypeParam value;
    value.bits = static_cast<std::uint16_t>(bits);
    const float exact = float(value);
    if (!std::isfinite(exact)) continue;
    EXPECT_EQ(to_float(value), exact) << bits;
    EXPECT_EQ(from_float<TypeParam>(exact).bits, bits);
    for (const float x : {exact * 1.0003f, exact * 1.002f, exact * 0.9985f}) {
      const bool subnormal = std::is_same_v<TypeParam, half> && std::fabs(x) < 0x1p-14f;
      const int off = int(from_float<TypeParam>(x).bits) - int(TypeParam(double(x)).bits);
      EXPECT_LE(std::abs(off), subnormal ? 1 : 0) << x;
    }
  }
}

TYPED_TEST(Half, WideningKeepsInfinitiesAndNaN) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    TypeParam value;
    value.bits = static_cast<std::uint16_t>(bits);
    const float wide = widen(value), exact = float(value);
    EXPECT_TRUE(wide == exact || (std::isnan(wide) && std::isnan(exact))) << bits;
    const TypeParam back = narrow<TypeParam>(exact);
    EXPECT_TRUE(back.bits == bits || (std::isnan(exact) && std::isnan(float(back)))) << bits;
  }
}

TEST(HalfLimits, OverflowAndNan) {
  EXPECT_EQ(float(half(65504)), 65504.0f);
  EXPECT_EQ(float(half(65519.99)), 65504.0f);
  EXPECT_TRUE(std::isinf(float(half(65520))));
  EXPECT_TRUE(std::isinf(float(half(-1e300))));
  EXPECT_TRUE(std::isnan(float(half(std::nan("")))));
  EXPECT_TRUE(std::isinf(float(bfloat16(1e300))));
  EXPECT_TRUE(std::isnan(float(bfloat16(std::nan("")))));
  EXPECT_EQ(half(0x1p-25).bits, 0);  // a tie, to even
  EXPECT_EQ(half(0x1.8p-25).bits, 1);
}

TEST(HalfLimits, DtypesAreNamed) {
  EXPECT_EQ(with_dtype("fp16", [](auto zero) { return sizeof(zero); }), 2u);
  EXPECT_EQ(with_dtype("fp32", [](auto zero) { return sizeof(zero); }), 4u);
  EXPECT_THROW(with_dtype("fp8", [](auto zero) { return sizeof(zero); }), Unsupported);
}

// y = 2x in 16 bits goes through the harness: filled, poisoned with NaN, compared.
template <class T> struct Twice {
  static constexpr Case bench[] = {{{"n", 33}}};
  static constexpr Case test[] = {{{"n", 33}}};
  struct Args {
    i64 n;
    const T* x;
    T* y;
  };
  static Args bind(Binder& io, const Case& s) {
    return {s["n"], io.in<T>("x", s["n"]), io.out<T>("y", s["n"])};
  }
  static Cost cost(const Args&) { return {}; }
  static Tolerance tolerance(const Args&) { return {.rel = kRounding<T>}; }
  static void reference(const Args& p) {
    for (i64 i = 0; i < p.n; ++i) p.y[i] = T(2.0 * p.x[i]);
  }
};

TYPED_TEST(Half, ArraysAreFilledPoisonedAndCompared) {
  using Args = typename Twice<TypeParam>::Args;
  const auto backend = make_cpu_backend();
  const Problem& problem = problem_of<Twice<TypeParam>>("half");
  const auto judge = [&](auto run) {
    const Variant variant{&problem, "v", "cpu", [&](const void* args) -> Launch {
                            return [=](void*) { run(*static_cast<const Args*>(args)); };
                          }};
    Data data(problem, problem.test.front(), *backend, 7);
    return Trial(variant, data, *backend).verify();
  };
  const auto twice = [](const Args& p) {
    for (i64 i = 0; i < p.n; ++i) p.y[i] = TypeParam(2.0 * p.x[i]);
  };
  EXPECT_EQ(judge(twice), "");
  EXPECT_NE(judge([](const Args&) {}), "") << "nothing was written";
  EXPECT_NE(judge([&](const Args& p) {
              twice(p);
              p.y[7].bits ^= 2;  // two units in the last place
            }),
            "");
}

}  // namespace
}  // namespace wb
