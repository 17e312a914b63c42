#include "measure/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "wb/half.h"

namespace wb {
namespace {

constexpr int kPoison = 0xFF;  // in every byte: NaN in all floating-point types
constexpr std::size_t kGuard = 4096;
constexpr std::size_t kHostSlack = std::size_t{1} << 30;

// A guard band: NaN, so that a read outside an array spoils the answer (for doubles a huge number).
// Signalling in fp32 and bf16, so that a loop which runs one too far and writes f(NaN) leaves other
// bits behind; and different for each end of each array, so that a copy does as well.
std::array<std::uint16_t, kGuard / 2> guard_of(std::size_t array, bool after) {
  std::array<std::uint16_t, kGuard / 2> words;
  words.fill(static_cast<std::uint16_t>(0xFF80 | (1 + (2 * array + after) % 63)));
  return words;
}

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

std::string gibibytes(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

}  // namespace

struct Data::Array {
  ArraySpec spec;
  std::size_t bytes = 0;
  std::byte* allocation = nullptr;  // guard, array, guard
  std::byte* device = nullptr;      // the array itself
  std::byte* pristine = nullptr;    // inout: what prepare() restores from, on the device
  std::array<std::vector<std::byte>, 2> initial;   // in, inout: contents before a run
  std::array<std::vector<std::byte>, 2> expected;  // out, inout: contents after it
};

// Binds in host memory. The reference works on `initial` for inputs and on `expected` for outputs.
class Data::HostBinder : public Binder {
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
      expected.assign(a.bytes + 1, std::byte{kPoison});
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

class Data::DeviceBinder : public Binder {
 public:
  DeviceBinder(std::vector<Array>& arrays, Backend& backend) : arrays_(arrays), backend_(backend) {}

 protected:
  void* array(const ArraySpec& spec) override {
    Array& a = arrays_[next_++];
    a.allocation = static_cast<std::byte*>(backend_.allocate(a.bytes + 2 * kGuard, spec.space));
    a.device = a.allocation + kGuard;
    backend_.fill(a.device, kPoison, a.bytes, spec.space);
    if (spec.role == Role::inout)
      a.pristine = static_cast<std::byte*>(backend_.allocate(a.bytes + 1, spec.space));
    return a.device;
  }

 private:
  std::vector<Array>& arrays_;
  Backend& backend_;
  std::size_t next_ = 0;
};

namespace {

// Adds up what a case will take, before anything is allocated.
class Sizing : public Binder {
 public:
  std::size_t host = 0;        // both versions of inputs and references
  std::size_t device[3] = {};  // by Space

 protected:
  void* array(const ArraySpec& spec) override {
    if (spec.count < 0) throw Unsupported(fmt::format("array {} has a negative size", spec.name));
    if (static_cast<double>(spec.count) * static_cast<double>(spec.element_size) > 1e15)
      throw Unsupported(fmt::format("array {} would have {:.3g} elements", spec.name,
                                    static_cast<double>(spec.count)));
    const std::size_t bytes = spec.count * spec.element_size;
    const std::size_t copies = spec.role == Role::inout ? 2 : 1;
    host += 2 * copies * bytes + bytes;  // and one for downloads
    device[static_cast<int>(spec.space)] += copies * bytes + 2 * kGuard;
    return nullptr;
  }
};

void refuse_what_does_not_fit(const Problem& problem, const Shape& shape, Backend& backend) {
  Sizing sizes;
  problem.bind(sizes, shape);
  std::size_t host = sizes.host, device = sizes.device[0];
  if (backend.kind() == BackendKind::cpu) host += device, device = 0;
  host += sizes.device[1] + sizes.device[2];
  const auto refuse = [](const char* where, std::size_t need, std::size_t free) {
    throw Unsupported(fmt::format("needs {} of {} memory and {} are free; choose a smaller --size",
                                  gibibytes(need), where, gibibytes(free)));
  };
  const std::size_t host_free = backend.free_bytes(Space::pageable);
  if (host + kHostSlack > host_free && host > kHostSlack / 4) refuse("host", host, host_free);
  if (device && device > backend.free_bytes(Space::device) * 0.95)
    refuse("device", device, backend.free_bytes(Space::device));
}

}  // namespace

Data::Data(const Problem& problem, const Shape& shape, Backend& backend, std::uint64_t seed,
           bool with_reference)
    : problem_(problem), backend_(backend) {
  refuse_what_does_not_fit(problem, shape, backend);
  for (int version : {0, 1}) {
    HostBinder binder(arrays_, version, seed + version * 0x632be59bd9b4e019u);
    host_args_[version] = problem.bind(binder, shape);
    if (with_reference) problem.reference(host_args_[version].get());
  }
  try {
    DeviceBinder binder(arrays_, backend);
    args_ = problem.bind(binder, shape);
  } catch (...) {
    release();  // what was allocated: there will be no destructor
    throw;
  }
  cost_ = problem.cost(host_args_[0].get());
  if (problem.items) items_ = problem.items(host_args_[0].get());
  tolerance_ = problem.tolerance(host_args_[0].get());
  backend_.synchronize();
}

Data::~Data() { release(); }

void Data::release() {
  if (scratch_) backend_.release(scratch_, Space::pinned);
  for (Array& a : arrays_) {
    if (a.allocation) backend_.release(a.allocation, a.spec.space);
    if (a.pristine) backend_.release(a.pristine, a.spec.space);
  }
}

std::vector<Region> Data::regions() const {
  std::vector<Region> regions;
  for (const Array& a : arrays_) regions.push_back({a.device, a.bytes, a.spec.space});
  return regions;
}

void Data::load(int version, bool again) {
  if (version == version_ && !again) return;
  version_ = version;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    Array& a = arrays_[i];
    backend_.upload(a.allocation, guard_of(i, false).data(), kGuard, a.spec.space);
    backend_.upload(a.device + a.bytes, guard_of(i, true).data(), kGuard, a.spec.space);
    if (a.spec.role == Role::out) continue;
    backend_.upload(a.device, a.initial[version].data(), a.bytes, a.spec.space);
    if (a.pristine) backend_.upload(a.pristine, a.initial[version].data(), a.bytes, a.spec.space);
  }
}

void Data::prepare(bool poison) {
  for (Array& a : arrays_) {
    if (a.pristine) backend_.copy(a.device, a.pristine, a.bytes, a.spec.space);
    if (poison && a.spec.role == Role::out) backend_.fill(a.device, kPoison, a.bytes, a.spec.space);
  }
}

std::string Data::check() {
  for (const Array& a : arrays_) {
    std::string problem = check_guards(a);
    if (problem.empty()) problem = check_values(a);
    if (problem.empty()) continue;
    version_ = -1;  // the inputs and the guard bands may be spoilt too
    return problem;
  }
  return "";
}

std::string Data::check_guards(const Array& a) {
  std::byte guard[kGuard];
  for (const bool after : {false, true}) {
    backend_.download(guard, after ? a.device + a.bytes : a.allocation, kGuard, a.spec.space);
    if (std::memcmp(guard, guard_of(&a - arrays_.data(), after).data(), kGuard) == 0) continue;
    return fmt::format("{} was written outside its bounds, {} its {}", a.spec.name,
                       after ? "behind" : "before", after ? "end" : "begin");
  }
  return "";
}

std::string Data::check_values(const Array& a) {
  if (a.bytes == 0) return "";
  if (!scratch_) {
    std::size_t most = 0;
    for (const Array& any : arrays_) most = std::max(most, any.bytes);
    scratch_ = static_cast<std::byte*>(backend_.allocate(most, Space::pinned));
  }
  const std::byte* got = scratch_;
  backend_.download(scratch_, a.device, a.bytes, a.spec.space);
  const auto& want = a.spec.role == Role::in ? a.initial[version_] : a.expected[version_];
  if (a.spec.role == Role::in) {
    const auto at = first_difference(got, want.data(), a.bytes);
    if (at == a.bytes) return "";
    return fmt::format("the input {} was changed, first at {}[{}]", a.spec.name, a.spec.name,
                       at / a.spec.element_size);
  }
  return with_type(a.spec.type, [&](auto zero) -> std::string {
    using T = decltype(zero);
    const T* g = reinterpret_cast<const T*>(got);
    const T* w = reinterpret_cast<const T*>(want.data());
    const Tolerance tolerance = a.spec.tolerance.value_or(tolerance_);
    const auto allowed = [&](i64 i) {
      return tolerance.abs + tolerance.rel * std::abs(static_cast<double>(w[i]));
    };
    i64 wrong = 0, first = a.spec.count;
#pragma omp parallel for reduction(+ : wrong) reduction(min : first) if (a.spec.count > 65536)
    for (i64 i = 0; i < a.spec.count; ++i) {
      const double difference = std::abs(static_cast<double>(g[i]) - static_cast<double>(w[i]));
      bool right = difference <= allowed(i);  // false for NaN on either side
      if (tolerance.sampled && std::isnan(static_cast<double>(w[i])))
        right = std::isfinite(static_cast<double>(g[i]));
      if (!right) ++wrong, first = std::min(first, i);
    }
    if (wrong == 0) return "";
    return fmt::format(
        "{0}: {1} of {2} wrong, first {0}[{3}] = {4:.6g}, want {5:.6g} (allowed {6:.2g})",
        a.spec.name, wrong, a.spec.count, first, static_cast<double>(g[first]),
        static_cast<double>(w[first]), allowed(first));
  });
}

}  // namespace wb
