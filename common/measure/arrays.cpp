#include "measure/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "device/backends.h"

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

std::string gibibytes(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

// Adds up what a case will take. Returns `c`, for it stands in front of what allocates.
const Case& fitting(const Problem& problem, const Case& c, Backend& backend) {
  const bool accelerator = traits_of(backend).accelerator;
  std::size_t host = 0, device = 0;
  bind(problem, c, [&](const ArraySpec& spec) {
    if (spec.count < 0) throw Unsupported(fmt::format("array {} has a negative size", spec.name));
    const double count = static_cast<double>(spec.count);
    if (count * static_cast<double>(spec.element_size) > 1e15)
      throw Unsupported(fmt::format("array {} would have {:.3g} elements", spec.name, count));
    const std::size_t bytes = spec.count * spec.element_size;
    const std::size_t copies = spec.role == Role::inout ? 2 : 1;
    host += 2 * copies * bytes + bytes;  // both versions of inputs and references; a download
    (accelerator && spec.space == Space::device ? device : host) += copies * bytes + 2 * kGuard;
    return nullptr;
  });
  const auto refuse = [](const char* where, std::size_t need, std::size_t free) {
    throw Unsupported(fmt::format("needs {} of {} memory and {} are free; choose a smaller --size",
                                  gibibytes(need), where, gibibytes(free)));
  };
  const std::size_t host_free = backend.free_bytes(Space::pageable);
  if (host + kHostSlack > host_free && host > kHostSlack / 4) refuse("host", host, host_free);
  if (device && device > backend.free_bytes(Space::device) * 0.95)
    refuse("device", device, backend.free_bytes(Space::device));
  return c;
}

}  // namespace

struct Arrays::Array {
  Space space;
  Role role;
  std::size_t bytes;
  std::byte* allocation = nullptr;  // guard, array, guard
  std::byte* device = nullptr;      // the array itself
  std::byte* pristine = nullptr;    // inout: what prepare() restores from, on the device
};

Arrays::Arrays(const Problem& problem, const Case& c, Backend& backend, const Answers& answers)
    : backend_(backend), answers_(answers) {
  try {
    args_ = bind(problem, c, [this](const ArraySpec& spec) {
      const auto allocate = [&](std::size_t bytes) {
        return static_cast<std::byte*>(backend_.allocate(bytes, spec.space));
      };
      Array& a = arrays_.emplace_back(Array{spec.space, spec.role, spec.count * spec.element_size});
      a.allocation = allocate(a.bytes + 2 * kGuard);
      a.device = a.allocation + kGuard;
      backend_.fill(a.device, kPoison, a.bytes, spec.space);
      if (spec.role == Role::inout) a.pristine = allocate(a.bytes + 1);
      return a.device;
    });
  } catch (...) {
    release();  // what was allocated: there will be no destructor
    throw;
  }
  backend_.synchronize();
}

Arrays::~Arrays() { release(); }

void Arrays::release() {
  if (scratch_) backend_.release(scratch_, Space::pinned);
  for (Array& a : arrays_) {
    if (a.allocation) backend_.release(a.allocation, a.space);
    if (a.pristine) backend_.release(a.pristine, a.space);
  }
}

std::vector<Region> Arrays::regions() const {
  std::vector<Region> regions;
  for (const Array& a : arrays_) regions.push_back({a.device, a.bytes, a.space});
  return regions;
}

void Arrays::load(int version, bool again) {
  if (version == version_ && !again) return;
  version_ = version;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    Array& a = arrays_[i];
    backend_.upload(a.allocation, guard_of(i, false).data(), kGuard, a.space);
    backend_.upload(a.device + a.bytes, guard_of(i, true).data(), kGuard, a.space);
    if (a.role == Role::out) continue;
    const std::byte* initial = answers_.arrays()[i].initial[version].data();
    backend_.upload(a.device, initial, a.bytes, a.space);
    if (a.pristine) backend_.upload(a.pristine, initial, a.bytes, a.space);
  }
}

void Arrays::prepare(bool poison) {
  for (Array& a : arrays_) {
    if (a.pristine) backend_.copy(a.device, a.pristine, a.bytes, a.space);
    if (poison && a.role == Role::out) backend_.fill(a.device, kPoison, a.bytes, a.space);
  }
}

std::string Arrays::check() {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::string problem = check(i);
    if (problem.empty()) continue;
    version_ = -1;  // the inputs and the guard bands may be spoilt too
    return problem;
  }
  return "";
}

std::string Arrays::check(std::size_t i) {
  const Array& a = arrays_[i];
  std::byte guard[kGuard];
  for (const bool after : {false, true}) {
    backend_.download(guard, after ? a.device + a.bytes : a.allocation, kGuard, a.space);
    if (std::memcmp(guard, guard_of(i, after).data(), kGuard) == 0) continue;
    return fmt::format("{} was written outside its bounds, {} its {}",
                       answers_.arrays()[i].spec.name, after ? "behind" : "before",
                       after ? "end" : "begin");
  }
  if (a.bytes == 0) return "";
  if (!scratch_) {
    std::size_t most = 0;
    for (const Array& any : arrays_) most = std::max(most, any.bytes);
    scratch_ = static_cast<std::byte*>(backend_.allocate(most, Space::pinned));
  }
  backend_.download(scratch_, a.device, a.bytes, a.space);
  return answers_.check(i, version_, scratch_, worst_);
}

Data::Data(const Problem& problem, const Case& c, Backend& backend, std::uint64_t seed,
           bool with_reference)
    : answers(problem, fitting(problem, c, backend), seed, with_reference),
      arrays(problem, c, backend, answers) {}

}  // namespace wb
