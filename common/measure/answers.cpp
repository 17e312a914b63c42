#include "measure/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "wb/half.h"

namespace wb {
namespace {

// `bytes` where there is none.
std::size_t first_difference(const std::byte* a, const std::byte* b, std::size_t bytes) {
  constexpr std::size_t kPiece = 1 << 20;
  std::size_t first = bytes;
#pragma omp parallel for reduction(min : first) if (bytes > kPiece)
  for (std::size_t start = 0; start < bytes; start += kPiece) {
    const std::size_t end = std::min(start + kPiece, bytes);
    if (std::memcmp(a + start, b + start, end - start) != 0)
      first = std::min<std::size_t>(first, std::mismatch(a + start, a + end, b + start).first - a);
  }
  return first;
}

template <class F> auto with_type(Type type, F f) {
  switch (type) {
    case Type::f32: return f(float{});
    case Type::f64: return f(double{});
    case Type::f16: return f(half{});
    case Type::bf16: return f(bfloat16{});
    case Type::i32: return f(std::int32_t{});
    case Type::u32: return f(std::uint32_t{});
    case Type::i64: return f(std::int64_t{});
    case Type::u8: return f(std::uint8_t{});
  }
  return f(float{});
}

// Integer types get whole numbers: u8 0..255, others -1024..1023 (u32 0..2047).
template <class T> T from_unit(double value) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return static_cast<T>((value + 1) * 128);
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return static_cast<T>((value + 1) * 1024);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::floor(value * 1024));
  else
    return static_cast<T>(value);
}

void fill(const ArraySpec& spec, std::byte* data, std::uint64_t seed, std::uint64_t own_seed) {
  with_type(spec.type, [&](auto zero) {
    using T = decltype(zero);
    T* values = reinterpret_cast<T*>(data);
#pragma omp parallel for schedule(static) if (spec.count > 65536)
    for (i64 i = 0; i < spec.count; ++i)
      values[i] =
          spec.fill ? static_cast<T>(spec.fill(i, seed)) : from_unit<T>(uniform(own_seed, i));
  });
}

template <class T>
std::string check_output(const ArraySpec& spec, const Tolerance& tolerance, const T* want,
                         const T* got, WorstError& worst) {
  const auto allowed = [&](double w) { return tolerance.abs + tolerance.rel * std::abs(w); };
  i64 wrong = 0, first = spec.count;
  double absolute = 0, relative = 0, of_allowed = 0;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first) \
    reduction(max : absolute, relative, of_allowed) if (spec.count > 65536)
  for (i64 i = 0; i < spec.count; ++i) {
    const double w = static_cast<double>(want[i]), g = static_cast<double>(got[i]);
    const double difference = std::abs(g - w);
    bool right = difference <= allowed(w);  // false for NaN on either side
    if (tolerance.sampled && std::isnan(w)) {
      right = std::isfinite(g);
    } else if (difference > 0) {  // of what is wrong, too, but for NaN
      absolute = std::max(absolute, difference);
      if (w != 0) relative = std::max(relative, difference / std::abs(w));
      if (allowed(w) > 0) of_allowed = std::max(of_allowed, difference / allowed(w));
    }
    if (!right) ++wrong, first = std::min(first, i);
  }
  worst.raise({absolute, relative, of_allowed});
  if (wrong == 0) return "";
  return fmt::format(
      "{0}: {1} of {2} wrong, first {0}[{3}] = {4:.6g}, want {5:.6g} (allowed {6:.2g})", spec.name,
      wrong, spec.count, first, static_cast<double>(got[first]), static_cast<double>(want[first]),
      allowed(static_cast<double>(want[first])));
}

}  // namespace

// The reference works on `initial` for inputs and on `expected` for outputs.
std::byte* Answers::array(const ArraySpec& spec, std::size_t index, int version,
                          std::uint64_t seed) {
  if (version == 0) arrays_.push_back({spec, spec.count * spec.element_size, {}, {}});
  Array& a = arrays_[index];
  auto& initial = a.initial[version];
  auto& expected = a.expected[version];
  if (spec.role == Role::out) {
    expected.assign(a.bytes + 1, std::byte{0xFF});  // never a null pointer, even for no elements
    return expected.data();
  }
  initial.resize(a.bytes + 1);
  fill(spec, initial.data(), seed, seed ^ ((index + 1) * 0xd1342543de82ef95u));
  if (spec.role == Role::in) return initial.data();
  expected = initial;
  return expected.data();
}

Answers::Answers(const Problem& problem, const Case& c, std::uint64_t seed, bool with_reference) {
  for (int version = 0; version < kVersions; ++version) {
    const std::uint64_t own_seed = seed + version * 0x632be59bd9b4e019u;
    std::size_t index = 0;
    args_[version] = bind(
        problem, c, [&](const ArraySpec& spec) { return array(spec, index++, version, own_seed); });
    if (with_reference) problem.reference(args_[version].get());
  }
  cost_ = problem.cost(args_[0].get());
  if (problem.items) items_ = problem.items(args_[0].get());
  tolerance_ = problem.tolerance(args_[0].get());
}

std::string Answers::check(std::size_t i, int version, const std::byte* got,
                           WorstError& worst) const {
  const Array& a = arrays_[i];
  if (a.bytes == 0) return "";
  if (a.spec.role == Role::in) {
    const auto at = first_difference(got, a.initial[version].data(), a.bytes);
    if (at == a.bytes) return "";
    return fmt::format("the input {0} was changed, first at {0}[{1}]", a.spec.name,
                       at / a.spec.element_size);
  }
  return with_type(a.spec.type, [&](auto zero) {
    using T = decltype(zero);
    return check_output(a.spec, a.spec.tolerance.value_or(tolerance_),
                        reinterpret_cast<const T*>(a.expected[version].data()),
                        reinterpret_cast<const T*>(got), worst);
  });
}

}  // namespace wb
