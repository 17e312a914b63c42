// Eleven operations on arrays, z = f(x) or z = f(x, y): the arithmetic that a network does between
// its matrix products. Each counts as one FLOP, however many instructions it takes: the least time
// follows from the bytes.
//
// x and y are in [-8, 8), where every function shows all of its shape; a divisor is in 0.5 to 8 or
// in -8 to -0.5. Some quotients are of two numbers near the end of the type's range.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string_view>

#include "wb/half.h"

// An operation by itself, as a type: kernels are compiled for one of them and choose at compile
// time. `exact` is in double. `error` bounds, in units of 2^-24 of the result, what computing it in
// fp32 with the usual functions costs (a function good to one unit in the last place costs 2); 0 is
// an operation that IEEE 754 rounds correctly.
namespace op {

struct Binary {
  static constexpr bool binary = true;
};
struct Unary {
  static constexpr bool binary = false;
};

struct Add : Binary {
  static constexpr int error = 0;
  static double exact(double x, double y) { return x + y; }
};
struct Sub : Binary {
  static constexpr int error = 0;
  static double exact(double x, double y) { return x - y; }
};
struct Mul : Binary {
  static constexpr int error = 0;
  static double exact(double x, double y) { return x * y; }
};
struct Div : Binary {
  static constexpr int error = 0;
  static double exact(double x, double y) { return x / y; }
};
struct Relu : Unary {
  static constexpr int error = 0;
  static double exact(double x, double) { return x < 0 ? 0 : x; }  // NaN stays NaN
};
constexpr float kSlope = 0.01f;
struct LeakyRelu : Unary {
  static constexpr int error = 0;
  static double exact(double x, double) { return x < 0 ? kSlope * x : x; }
};
struct Exp : Unary {  // 1 unit in the last place
  static constexpr int error = 2;
  static double exact(double x, double) { return std::exp(x); }
};
struct Sigmoid : Unary {  // exp, a sum and a quotient
  static constexpr int error = 4;
  static double exact(double x, double) { return 1 / (1 + std::exp(-x)); }
};
struct Silu : Unary {  // the same; also called swish
  static constexpr int error = 4;
  static double exact(double x, double) { return x / (1 + std::exp(-x)); }
};
struct Tanh : Unary {  // 2 units in the last place
  static constexpr int error = 4;
  static double exact(double x, double) { return std::tanh(x); }
};
// x times the probability that a normal variable is less than x. See tolerance() below.
struct Gelu : Unary {
  static constexpr int error = 6;
  static double exact(double x, double) { return 0.5 * x * std::erfc(-x * std::sqrt(0.5)); }
};

}  // namespace op

constexpr const char* kOperations[] = {"add",  "sub",  "mul",     "div",  "relu", "leaky_relu",
                                       "gelu", "silu", "sigmoid", "tanh", "exp"};

// f(op::Add{}) for "add", and so on.
template <class F> decltype(auto) with_op(std::string_view name, F f) {
  if (name == "add") return f(op::Add{});
  if (name == "sub") return f(op::Sub{});
  if (name == "mul") return f(op::Mul{});
  if (name == "div") return f(op::Div{});
  if (name == "relu") return f(op::Relu{});
  if (name == "leaky_relu") return f(op::LeakyRelu{});
  if (name == "gelu") return f(op::Gelu{});
  if (name == "silu") return f(op::Silu{});
  if (name == "sigmoid") return f(op::Sigmoid{});
  if (name == "tanh") return f(op::Tanh{});
  if (name == "exp") return f(op::Exp{});
  throw wb::Unsupported("unknown op " + std::string(name));
}

// Both at once: f(op::Gelu{}, wb::bfloat16{}).
template <class F> void with_op_and_dtype(const char* op, const char* dtype, F f) {
  with_op(op, [&](auto o) { wb::with_dtype(dtype, [&](auto zero) { f(o, zero); }); });
}

constexpr wb::Case square(const char* op, const char* dtype, wb::i64 side, const char* size) {
  return {{"size", size}, {"op", op}, {"dtype", dtype}, {"rows", side}, {"columns", side}};
}

// Every operation in every type at one odd size, of some whole tiles and a part of one; then sizes
// around the width of a vector, a warp and a tile, arrays that are not aligned, and larger ones.
constexpr std::array<wb::Case, 65> make_tests() {
  std::array<wb::Case, 65> cases{};
  int next = 0;
  for (const char* dtype : {"fp32", "fp16", "bf16"}) {
    for (const char* op : kOperations)
      cases[next++] = {{"op", op}, {"dtype", dtype}, {"rows", 33}, {"columns", 131}};
    for (const wb::i64 n : {0, 1, 31, 33, 127, 129, 16'384, 100'003})
      cases[next++] = {
          {"op", n % 2 ? "gelu" : "sub"}, {"dtype", dtype}, {"rows", 1}, {"columns", n}};
    cases[next++] = {{"op", "tanh"}, {"dtype", dtype}, {"rows", 1}, {"columns", 9973}, {"late", 1}};
    cases[next++] = {{"op", "div"}, {"dtype", dtype}, {"rows", 64}, {"columns", 127}, {"late", 1}};
  }
  cases[next++] = {{"op", "mul"}, {"dtype", "fp32"}, {"rows", 1}, {"columns", 2'200'003}};
  cases[next++] = {{"op", "mul"}, {"dtype", "bf16"}, {"rows", 1}, {"columns", 4'300'003}};
  return cases;
}

struct Operations {
  static constexpr const char* case_names[] = {"{op}, {rows} x {columns}, {dtype}"};
  static constexpr wb::Case bench[] = {
      square("add", "fp32", 8192, "xlarge"),     square("sub", "fp32", 8192, "xlarge"),
      square("mul", "fp32", 8192, "xlarge"),     square("div", "fp32", 8192, "xlarge"),
      square("relu", "fp32", 8192, "xlarge"),    square("leaky_relu", "fp32", 8192, "xlarge"),
      square("gelu", "fp32", 8192, "xlarge"),    square("silu", "fp32", 8192, "xlarge"),
      square("sigmoid", "fp32", 8192, "xlarge"), square("tanh", "fp32", 8192, "xlarge"),
      square("exp", "fp32", 8192, "xlarge"),     square("add", "fp16", 8192, "xlarge"),
      square("gelu", "fp16", 8192, "xlarge"),    square("add", "bf16", 8192, "xlarge"),
      square("gelu", "bf16", 8192, "xlarge"),    square("gelu", "fp32", 512, "small"),
      square("gelu", "fp32", 2048, "medium")};
  static constexpr wb::Case bench_cpu[] = {
      square("gelu", "fp32", 2048, "medium"), square("tanh", "fp32", 2048, "medium"),
      square("add", "fp32", 4096, "large"), square("gelu", "bf16", 2048, "medium"),
      square("gelu", "fp32", 512, "small")};
  static constexpr std::array<wb::Case, 65> test = make_tests();

  struct Args {
    wb::i64 count;
    const char *op, *dtype;
    const void *x, *y;  // count; y only where the operation takes two
    void* z;            // count
  };

  // Where `late` is 1, all arrays start one element late: none is aligned to more than an element.
  static Args bind(wb::Binder& io, const wb::Case& c) {
    const wb::i64 late = c.get("late", 0);
    Args p{c["rows"] * c["columns"], c.word("op"), c.word("dtype"), nullptr, nullptr, nullptr};
    // Factors of a quotient's two numbers: the type's range has to be covered, but a division of
    // such numbers may take longer, so in a large array they are few.
    const bool div = std::string_view(p.op) == "div";
    const double huge = !div ? 1 : std::string_view(p.dtype) == "fp16" ? 0x1p12 : 0x1p124;
    const auto factor = [=](wb::i64 i) { return i < 4096 && i % 16 == 7 ? huge : 1; };
    const auto any = [=](wb::i64 i, std::uint64_t seed) {
      return 8 * factor(i) * wb::uniform(seed, 2 * i);
    };
    const auto other = [=](wb::i64 i, std::uint64_t seed) {
      const double value = wb::uniform(seed, 2 * i + 1);
      return factor(i) * (div ? 7.5 * value + std::copysign(0.5, value) : 8 * value);
    };
    with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
      using T = decltype(zero);
      p.x = io.in<T>("x", p.count + late, any) + late;
      if (op.binary) p.y = io.in<T>("y", p.count + late, other) + late;
      // Elements before the first one must stay as they are.
      p.z = late ? io.inout<T>("z", p.count + late) + late : io.out<T>("z", p.count);
    });
    return p;
  }

  static wb::Cost cost(const Args& p) {
    double arrays = 0, size = 0;
    with_op_and_dtype(p.op, p.dtype,
                      [&](auto op, auto zero) { arrays = op.binary ? 2 : 1, size = sizeof(zero); });
    const double n = p.count;
    return {.flops = n, .read = arrays * size * n, .write = size * n};
  }

  // Exact operations have to be exact, where fp32 is what is stored. Otherwise: the error of the
  // function, and that of storing the reference. In 16 bits both results are rounded to few digits,
  // so that the least difference before can make them neighbours: two roundings, and no more.
  //
  // gelu for x < 0 is half of x * (1 + erf), a difference of nearly equal numbers. The error of erf
  // (2 units of 2^-24) is then large against the result, but not against 1. It is multiplied by at
  // most |x| / 2 < 2.8 (beyond |x| = 5.6 erf is 1), and rounded up here: 6 units of 2^-24.
  static wb::Tolerance tolerance(const Args& p) {
    wb::Tolerance t;
    with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
      using T = decltype(zero);
      if (sizeof(T) == 2)
        t.rel = 2 * wb::kRounding<T>;
      else if (op.error > 0)
        t.rel = (op.error + 1) * 0x1p-24;
      if (std::string_view(p.op) == "gelu") {
        t.abs = 6 * 0x1p-24;
        if (sizeof(T) == 2) t.abs += 0x1p-24;  // between neighbours of fp16 below 2^-14
      }
    });
    return t;
  }

  static void reference(const Args& p) {
    with_op_and_dtype(p.op, p.dtype, [&](auto op, auto zero) {
      using T = decltype(zero);
      const T *x = static_cast<const T*>(p.x), *y = static_cast<const T*>(p.y);
      T* z = static_cast<T*>(p.z);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (p.count > 65536)
#endif
      for (wb::i64 i = 0; i < p.count; ++i)
        z[i] = static_cast<T>(op.exact(x[i], y ? static_cast<double>(y[i]) : 0));
    });
  }
};

// The exercise on a GPU: the same, but gelu is its approximation by tanh, as many networks were
// trained with. What tanh is off by near -1 counts |x| / 2 times, as erf's error does.
struct TanhGelu : Operations {
  static double exact(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  }
  static void reference(const Args& p) {
    if (std::string_view(p.op) != "gelu") return Operations::reference(p);
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* x = static_cast<const T*>(p.x);
      T* z = static_cast<T*>(p.z);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (p.count > 65536)
#endif
      for (wb::i64 i = 0; i < p.count; ++i) z[i] = static_cast<T>(exact(x[i]));
    });
  }
};
