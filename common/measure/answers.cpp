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

}  // namespace

// Binds in host memory. The reference works on `initial` for inputs and on `expected` for outputs.
class Answers::HostBinder : public Binder {
 public:
  HostBinder(std::vector<Array>& arrays, int version, std::uint64_t seed)
      : arrays_(arrays), version_(version), seed_(seed) {}

 protected:
  void* array(const ArraySpec& spec) override {
    if (version_ == 0) {
      arrays_.emplace_back().spec = spec;
      arrays_.back().bytes = spec.count * spec.element_size;
    }
    Array& a = arrays_[next_++];
    auto& initial = a.initial[version_];
    auto& expected = a.expected[version_];
    if (spec.role != Role::out) {
      initial.resize(a.bytes + 1);  // never a null pointer, even for no elements
      fill(spec, initial.data());
      if (spec.role == Role::in) return initial.data();
      expected = initial;
    } else {
      expected.assign(a.bytes + 1, std::byte{0xFF});
    }
    return expected.data();
  }

 private:
  void fill(const ArraySpec& spec, std::byte* data) const {
    with_type(spec.type, [&](auto zero) {
      using T = decltype(zero);
      T* values = reinterpret_cast<T*>(data);
      const std::uint64_t own_seed = seed_ ^ (next_ * 0xd1342543de82ef95u);
#pragma omp parallel for schedule(static) if (spec.count > 65536)
      for (i64 i = 0; i < spec.count; ++i)
        values[i] =
            spec.fill ? static_cast<T>(spec.fill(i, seed_)) : from_unit<T>(uniform(own_seed, i));
    });
  }

  std::vector<Array>& arrays_;
  int version_;
  std::uint64_t seed_;
  std::size_t next_ = 0;
};

Answers::Answers(const Problem& problem, const Case& c, std::uint64_t seed, bool with_reference) {
  for (int version = 0; version < kVersions; ++version) {
    HostBinder binder(arrays_, version, seed + version * 0x632be59bd9b4e019u);
    args_[version] = problem.bind(binder, c);
    if (with_reference) problem.reference(args_[version].get());
  }
  cost_ = problem.cost(args_[0].get());
  if (problem.items) items_ = problem.items(args_[0].get());
  tolerance_ = problem.tolerance(args_[0].get());
}

namespace {

std::string check_input(const Answers::Array& a, const std::byte* want, const std::byte* got) {
  const auto at = first_difference(got, want, a.bytes);
  if (at == a.bytes) return "";
  return fmt::format("the input {} was changed, first at {}[{}]", a.spec.name, a.spec.name,
                     at / a.spec.element_size);
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
  worst.absolute = std::max(worst.absolute, absolute);
  worst.relative = std::max(worst.relative, relative);
  worst.of_allowed = std::max(worst.of_allowed, of_allowed);
  if (wrong == 0) return "";
  return fmt::format(
      "{0}: {1} of {2} wrong, first {0}[{3}] = {4:.6g}, want {5:.6g} (allowed {6:.2g})", spec.name,
      wrong, spec.count, first, static_cast<double>(got[first]), static_cast<double>(want[first]),
      allowed(static_cast<double>(want[first])));
}

}  // namespace

std::string Answers::check(std::size_t i, int version, const std::byte* got,
                           WorstError& worst) const {
  const Array& a = arrays_[i];
  if (a.bytes == 0) return "";
  if (a.spec.role == Role::in) return check_input(a, a.initial[version].data(), got);
  return with_type(a.spec.type, [&](auto zero) {
    using T = decltype(zero);
    return check_output(a.spec, a.spec.tolerance.value_or(tolerance_),
                        reinterpret_cast<const T*>(a.expected[version].data()),
                        reinterpret_cast<const T*>(got), worst);
  });
}

}  // namespace wb
