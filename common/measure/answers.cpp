#include "measure/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <tuple>

#include "base/draws.h"
#include "measure/versions.h"
#include "measure/with_profile.h"
#include "wb/half.h"

namespace wb {
namespace {

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

// What element i of the problem's array number `array` begins with.
template <class T> T value(const ArraySpec& spec, std::size_t array, i64 i, std::uint64_t seed) {
  return spec.fill ? static_cast<T>(spec.fill(i, seed))
                   : from_unit<T>(uniform(seed ^ ((array + 1) * 0xd1342543de82ef95u), i));
}

template <class T> auto bits(const T& value) {
  return std::bit_cast<std::array<std::uint8_t, sizeof value>>(value);
}

template <class T> bool is_poison(const T& value) {
  return std::ranges::all_of(bits(value), [](std::uint8_t byte) { return byte == 0xFF; });
}

// What a sampled reference left as it was.
template <class T> bool untouched(const Tolerance& tolerance, const T& want) {
  return tolerance.sampled && is_poison(want);
}

// One element against the reference.
struct Comparison {
  bool right;
  double difference = 0, allowed = 0;

  WorstError error(double want) const {
    return {difference, want != 0 ? difference / std::abs(want) : 0,
            allowed > 0 ? difference / allowed : 0};
  }
};
#pragma omp declare reduction(raise:WorstError : omp_out.raise(omp_in))

// What two roundings may cost where `rel` counts too little: below the smallest normal number.
template <class T>
constexpr double kSubnormal = std::is_same_v<T, half>       ? 0x1p-24
                              : std::is_same_v<T, bfloat16> ? 0x1p-133
                              : std::is_same_v<T, float>    ? 0x1p-149
                                                            : 0;

template <class T> Comparison compare(const Tolerance& tolerance, T want, T got) {
  const double w = static_cast<double>(want), g = static_cast<double>(got);
  const double allowed =
      tolerance.abs + tolerance.rel * std::abs(w) + (tolerance.rel > 0 ? kSubnormal<T> : 0);
  if (untouched(tolerance, want)) return {std::isfinite(g)};
  if constexpr (std::is_integral_v<T>) {  // a double does not tell 2^53 + 1 from 2^53
    const auto apart = want > got
                           ? static_cast<std::uint64_t>(want) - static_cast<std::uint64_t>(got)
                           : static_cast<std::uint64_t>(got) - static_cast<std::uint64_t>(want);
    const double difference = static_cast<double>(apart);
    return {difference <= allowed, difference, allowed};
  } else {
    if (std::isinf(w)) return {g == w, g == w ? 0.0 : INFINITY, 0};
    if (std::isnan(w)) return {tolerance.nan && std::isnan(g)};
    return {std::abs(g - w) <= allowed, std::abs(g - w), allowed};  // not right for NaN
  }
}

// Whether it still holds what outputs hold before a launch; of whole numbers nobody knows.
template <class T> bool unwritten(const ArraySpec& spec, const T& got) {
  return !std::is_integral_v<T> && spec.role == Role::out && is_poison(got);
}

// "c[1025]", or "c[1025] (row 1, column 1)" where the problem has axes.
std::string element_name(const ArraySpec& spec, i64 i) {
  std::string place;
  for (i64 inner = spec.count; const Dim& dim : spec.shape) {
    inner /= dim.size;
    place += fmt::format("{}{} {}", place.empty() ? " (" : ", ", dim.name, i / inner % dim.size);
  }
  return fmt::format("{}[{}]{}{}", spec.name, i, place, place.empty() ? "" : ")");
}

template <class T>
std::string difference_text(const ArraySpec& spec, i64 i, T want, T got, double allowed) {
  const auto text = [](T v) {
    if constexpr (std::is_integral_v<T>)
      return fmt::format("{}", v);
    else
      return fmt::format("{:.6g}", static_cast<double>(v));
  };
  if (unwritten(spec, got))
    return fmt::format("{} was not written, want {}", element_name(spec, i), text(want));
  return fmt::format("{} = {}, want {} (allowed {:.2g})", element_name(spec, i), text(got),
                     text(want), allowed);
}

// Which elements are wrong, where they have a pattern: " (all)", " (the last 3)", " (each with
// index % 32 == 31)" for a lane, " (only where index % 32 == 31)" for a tile's edge.
template <class IsWrong> std::string pattern(i64 count, i64 first, i64 wrong, IsWrong is_wrong) {
  if (wrong == count) return " (all)";
  i64 last = first, step = 0;
  for (i64 i = first + 1; i < count; ++i)
    if (is_wrong(i)) step = std::gcd(step, i - first), last = i;
  if (wrong == last - first + 1) {  // no gap
    if (last == count - 1) return fmt::format(" (the last {})", wrong);
    if (first == 0) return fmt::format(" (the first {})", wrong);
    return wrong > 1 ? fmt::format(" ({} to {})", first, last) : "";
  }
  if (wrong < 3 || step < 2) return "";
  const bool each = wrong == (last - first) / step + 1;
  return fmt::format(" ({} index % {} == {})", each ? "each with" : "only where", step,
                     first % step);
}

// An array that only serves as input keeps its bits.
template <class T> std::string check_input(const ArraySpec& spec, const T* want, const T* got) {
  i64 first = spec.count;
#pragma omp parallel for reduction(min : first) if (spec.count > 65536)
  for (i64 i = 0; i < spec.count; ++i)
    if (bits(got[i]) != bits(want[i])) first = std::min(first, i);
  if (first == spec.count) return "";
  return fmt::format("the input {0} was changed, first at {0}[{1}]", spec.name, first);
}

template <class T>
std::string check_output(const ArraySpec& spec, const Tolerance& tolerance, const T* want,
                         const T* got, WorstError& worst) {
  i64 wrong = 0, first = spec.count;
  WorstError most;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first) \
    reduction(raise : most) if (spec.count > 65536)
  for (i64 i = 0; i < spec.count; ++i) {
    const Comparison c = compare(tolerance, want[i], got[i]);
    if (!c.right) ++wrong, first = std::min(first, i);
    if (c.difference > 0) most.raise(c.error(static_cast<double>(want[i])));
  }
  worst.raise(most);
  if (wrong == 0) return "";
  const auto is_wrong = [&](i64 i) { return !compare(tolerance, want[i], got[i]).right; };
  return fmt::format("{}: {} of {} wrong{}, first {}", spec.name, wrong, spec.count,
                     pattern(spec.count, first, wrong, is_wrong),
                     difference_text(spec, first, want[first], got[first],
                                     compare(tolerance, want[first], got[first]).allowed));
}

// Adds the elements in which `now` differs from `before`, both contents of array number `i`. False
// when they are too many to keep.
bool differences(std::size_t i, const Answers::Array& array, const std::vector<std::byte>& before,
                 const std::vector<std::byte>& now, std::vector<Answers::Element>& found) {
  constexpr std::size_t kMost = 4 << 20, kPiece = 4096;  // a piece has whole elements
  const std::size_t old = found.size(), size = array.spec.element_size;
#pragma omp parallel for schedule(static) if (array.bytes > 1 << 20)
  for (std::size_t start = 0; start < array.bytes; start += kPiece) {
    const std::size_t end = std::min(start + kPiece, array.bytes);
    if (std::memcmp(before.data() + start, now.data() + start, end - start) == 0) continue;
#pragma omp critical
    for (std::size_t at = start; at < end && found.size() < old + kMost; at += size)
      if (std::memcmp(before.data() + at, now.data() + at, size) != 0) {
        found.push_back({i, static_cast<i64>(at / size), {}});
        std::memcpy(found.back().value.data(), now.data() + at, size);
      }
  }
  std::ranges::sort(found.begin() + static_cast<std::ptrdiff_t>(old), found.end(), {},
                    &Answers::Element::index);
  return found.size() < old + kMost;
}

// Of each row of a matrix whose elements are at `data`: the sum of f(element, column).
template <class F> std::vector<double> row_sums(const Matrix& m, const void* data, F f) {
  std::vector<double> sums(m.rows);
  with_type(m.type, [&](auto zero) {
    const auto* elements = static_cast<const decltype(zero)*>(data);
#pragma omp parallel for if (m.rows * m.columns > 65536)
    for (i64 begin = 0; begin < m.rows; begin += 64)  // together, for they may share cache lines
      for (i64 j = 0; j < m.columns; ++j)
        for (i64 row = begin; row < std::min(begin + 64, m.rows); ++row)
          sums[row] += f(static_cast<double>(elements[row * m.row + j * m.column]), j);
  });
  return sums;
}

}  // namespace

std::vector<i64> Sampler::some(i64 all, i64 count) {
  std::vector<i64> chosen;
  const i64 stretch = std::max<i64>(1, all / std::max<i64>(count, 1));
  for (i64 begin = 0; begin < all; begin += stretch) {
    const double place = (uniform(seed_, chosen.size()) + 1) / 2;  // in [0, 1)
    const i64 length = std::min(stretch, all - begin);
    chosen.push_back(begin + static_cast<i64>(place * static_cast<double>(length)));
  }
  return chosen;
}

void Answers::expect(std::size_t index, const ArraySpec* spec) const {
  const ArraySpec* first = index < arrays_.size() ? &arrays_[index].spec : nullptr;
  const auto what = [](const ArraySpec& s) {
    return std::tie(s.name, s.role, s.space, s.type, s.count);
  };
  if (first && spec ? what(*first) != what(*spec) : first != spec)
    throw std::runtime_error("bind() asks for other arrays the second time: " +
                             (spec ? spec->name : "no " + first->name));
}

// The reference works on `initial` for inputs and on `expected` for outputs.
std::byte* Answers::array(const ArraySpec& spec, std::size_t index, int version,
                          std::uint64_t seed) {
  if (version == 0) arrays_.push_back({spec, spec.count * spec.element_size, {}, {}});
  expect(index, &spec);
  Array& a = arrays_[index];
  auto &initial = a.initial[version], &expected = a.expected[version];
  if (spec.role == Role::out) {
    expected.assign(a.bytes + 1, std::byte{0xFF});  // never a null pointer, even for no elements
    return expected.data();
  }
  initial.resize(a.bytes + 1);
  draw(index, seed, initial.data());
  if (spec.role == Role::in) return initial.data();
  expected = initial;
  return expected.data();
}

void Answers::draw(std::size_t i, std::uint64_t seed, std::byte* to) const {
  const ArraySpec& spec = arrays_[i].spec;
  with_type(spec.type, [&](auto zero) {
    auto* values = reinterpret_cast<decltype(zero)*>(to);
#pragma omp parallel for schedule(static) if (spec.count > 65536)
    for (i64 e = 0; e < spec.count; ++e) values[e] = value<decltype(zero)>(spec, i, e, seed);
  });
}

Answers::Element Answers::draw(std::size_t i, i64 index, std::uint64_t seed) const {
  Element element{i, index, {}};
  with_type(arrays_[i].spec.type, [&](auto zero) {
    const auto drawn = value<decltype(zero)>(arrays_[i].spec, i, index, seed);
    std::memcpy(element.value.data(), &drawn, sizeof drawn);
  });
  return element;
}

Answers::Answers(const Problem& problem, const Case& c, std::uint64_t seed, bool with_reference,
                 int changes)
    : problem_(problem), seed_(seed), has_reference_(with_reference) {
  const WithProfile with_profile(problem, c, seed);
  for (int version = 0; version < (changes > 0 ? kBases : 1); ++version) {
    const std::uint64_t own_seed = seed + version * 0x632be59bd9b4e019u;
    std::size_t index = 0;
    args_[version] = bind(problem, c, [&](const ArraySpec& spec) {
      const std::size_t i = index++;
      return array(with_profile(spec, i), i, version, own_seed);
    });
    expect(index, nullptr);
    if (with_reference) refer(version);
  }
  cost_ = problem.cost(args_[0].get());
  if (cost_.write + cost_.to_device + cost_.to_host == 0) cost_ = {};  // nothing is needed
  if (problem.items) items_ = problem.items(args_[0].get());
  held_ = tolerance_ = problem.tolerance(args_[0].get());
  for (int i = 0; with_reference && i < changes; ++i)
    add_change(seed + 0x9e3779b97f4a7c15u * (i + 1));
}

void Answers::refer(int version) {
  Sampler sampler(seed_ ^ 0x5851f42d4c957f2du);  // of all versions the same outputs
  problem_.reference(args_[version].get(), sampler);
}

// What an input and all that is drawn with it become when one value is drawn again.
Answers::InputChange Answers::redraw(std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].spec.role != Role::out && arrays_[i].bytes > 0) inputs.push_back(i);
  if (inputs.empty()) return {};
  const std::size_t chosen = inputs[random() % inputs.size()];
  const Array& array = arrays_[chosen];
  const i64 index = static_cast<i64>(random() % static_cast<std::uint64_t>(array.spec.count));
  draw(chosen, index, seed_);
  InputChange change{last_draw(), {}, {}};
  // Each change of the same element is another one.
  const Redraw other(change.draw, 2.0 * static_cast<double>(changes_.size() + 1) / (kChanges + 2));
  if (!array.spec.fill) {  // nothing else is drawn from its own seed
    change.inputs = {draw(chosen, index, seed_)};
    const void* now = change.inputs[0].value.data();
    return std::memcmp(now, array.before(index), array.spec.element_size) ? change : InputChange{};
  }
  for (const std::size_t i : inputs) {
    if (!arrays_[i].spec.fill) continue;
    std::vector<std::byte> now(arrays_[i].bytes);
    draw(i, seed_, now.data());
    if (!differences(i, arrays_[i], arrays_[i].initial[0], now, change.inputs)) return {};
  }
  return change;
}

// Each element changes places with what stands in its own.
void Answers::exchange(std::vector<Element>& elements, Contents Array::*contents) {
  for (Element& e : elements) {
    Array& array = arrays_[e.array];
    const auto size = static_cast<std::ptrdiff_t>(array.spec.element_size);
    std::byte* const at = (array.*contents)[0].data() + e.index * size;
    std::swap_ranges(at, at + size, e.value.begin());
  }
}

// Version 0 becomes this change, and by the same call version 0 again.
void Answers::exchange(InputChange& change) {
  exchange(change.inputs, &Array::initial);
  exchange(change.outputs, &Array::expected);
}

// A value is looked for on which the answer depends: not one in front of the first element, of a
// negative number under a relu, or of a row that the reference leaves out.
void Answers::add_change(std::uint64_t seed) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    InputChange change = redraw(seed + attempt);
    if (change.inputs.empty()) continue;
    NewInputs changed{.elements = change.inputs};
    const SwappedInputs meanwhile(*this, changed);
    bool usable = true;
    for (std::size_t i = 0; i < arrays_.size() && usable; ++i)
      if (const Array& a = arrays_[i]; a.spec.role != Role::in)
        usable = differences(i, a, meanwhile.expected_before(i), a.expected[0], change.outputs);
    if (!usable || change.outputs.empty()) continue;
    changes_.push_back(std::move(change));
    return;
  }
}

const Tolerance& Answers::tolerance(std::size_t i) const {
  const auto& own = arrays_[i].spec.tolerance;
  return own ? *own : held_;
}

std::string Answers::check(std::size_t i, int version, const std::byte* got, WorstError& worst) {
  const Array& a = arrays_[i];
  if (a.bytes == 0) return "";
  const int base = version == 1;
  InputChange* const change = version >= kBases ? &changes_[version - kBases] : nullptr;
  if (change) exchange(*change);
  const bool input = a.spec.role == Role::in;
  const std::byte* want = (input ? a.initial : a.expected)[base].data();
  std::string problem = with_type(a.spec.type, [&](auto zero) {
    using T = decltype(zero);
    const T *w = reinterpret_cast<const T*>(want), *g = reinterpret_cast<const T*>(got);
    return input ? check_input(a.spec, w, g) : check_output(a.spec, tolerance(i), w, g, worst);
  });
  if (!input && problem.empty()) problem = check_products(i, base, got);
  if (change) exchange(*change);
  return problem;
}

std::string Answers::check_element(std::size_t i, i64 index, int version, const std::byte* got,
                                   WorstError& worst) const {
  const Array& a = arrays_[i];
  const std::byte* want = a.expected[version == 1].data() + index * a.spec.element_size;
  if (version >= kBases) {
    const auto& outputs = changes_[version - kBases].outputs;
    const auto place_of = [](const Element& e) { return std::pair(e.array, e.index); };
    const std::pair place(i, index);
    const auto found = std::ranges::lower_bound(outputs, place, {}, place_of);
    if (found != outputs.end() && place_of(*found) == place) want = found->value.data();
  }
  return with_type(a.spec.type, [&](auto zero) -> std::string {
    using T = decltype(zero);
    T w, g;
    std::memcpy(&w, want, sizeof w);
    std::memcpy(&g, got, sizeof g);
    if (version == kNewInputs)  // not known but for this; what lies between rows is nobody's
      return unwritten(a.spec, g) && !is_poison(w) ? difference_text(a.spec, index, w, g, 0) : "";
    const Comparison c = compare(tolerance(i), w, g);
    worst.raise(c.error(static_cast<double>(w)));
    return c.right ? "" : difference_text(a.spec, index, w, g, c.allowed);
  });
}

bool Answers::computed(std::size_t i, i64 index) const {
  return with_type(arrays_[i].spec.type, [&](auto zero) {
    using T = decltype(zero);
    return !untouched(tolerance(i),
                      reinterpret_cast<const T*>(arrays_[i].expected[0].data())[index]);
  });
}

// For signs x drawn at random, each row of C x - A (B x) adds up n errors of either sign: what is
// wrong shows where it is further off than the root of the sum of their squares. Tolerance::abs is
// the most that a sum can err; what rounding may cost, `rel`, nearly each element uses up: four of
// its standard deviations and more.
std::string Answers::check_products(std::size_t i, int base, const std::byte* got) const {
  if (!problem_.products) return "";
  const Array& a = arrays_[i];
  const std::byte* expected = a.expected[base].data();
  for (const Product& p : problem_.products(args_[base].get())) {
    const auto* data = reinterpret_cast<const std::byte*>(p.c.data);
    if (data < expected || data >= expected + a.bytes) continue;
    const std::byte* c = got + (data - expected);
    std::vector<double> x(p.b.columns);
    for (i64 j = 0; j < p.b.columns; ++j) x[j] = uniform(seed_ + 1, j) < 0 ? -1 : 1;
    const auto times = [](const std::vector<double>& vector) {
      return [&](double element, i64 j) { return element * vector[j]; };
    };
    const auto bx = row_sums(p.b, p.b.data, times(x)), abx = row_sums(p.a, p.a.data, times(bx));
    const auto cx = row_sums(p.c, c, times(x));
    // An element that is low by `rel` of what it should be is low by more than that of itself.
    const double rel = tolerance(i).rel / std::max(1 - tolerance(i).rel, 1e-3);
    const auto squares = row_sums(p.c, c, [&](double element, i64) {
      const double allowed = tolerance(i).abs + 4 * rel * std::abs(element);
      return allowed * allowed;
    });
    for (i64 row = 0; row < p.c.rows; ++row)
      if (!(std::abs(cx[row] - abx[row]) <= std::sqrt(squares[row])))
        return fmt::format("{0}: the row from {0}[{1}] on is not that of the product", a.spec.name,
                           (c - got) / static_cast<i64>(a.spec.element_size) + row * p.c.row);
  }
  return "";
}

}  // namespace wb
