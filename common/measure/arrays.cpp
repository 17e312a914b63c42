#include "measure/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/backends.h"
#include "device/cpu/memory.h"

namespace wb {
namespace {

constexpr int kPoison = 0xFF;  // in every byte: NaN in all floating-point types
constexpr std::size_t kGuard = 64 << 10;
constexpr std::size_t kAlignment = 256;
constexpr std::size_t kHostSlack = std::size_t{1} << 30;
constexpr std::size_t kLooks = 1024;  // at most between two calls of seen()
constexpr std::size_t kPlaces = 64;   // of a look
constexpr std::size_t kPlace = 8;     // bytes, for the largest element

// A guard band: NaN, so that a read outside an array spoils the answer (for doubles a huge number).
// Signalling in fp32 and bf16, so that a loop which runs one too far and writes f(NaN) leaves other
// bits behind; and different for each end of each array, so that a copy does as well.
std::vector<std::byte> guard_of(std::size_t array, bool after, std::size_t bytes) {
  std::vector<std::byte> guard(bytes, std::byte{kPoison});
  for (std::size_t i = 0; i < bytes; i += 2) guard[i] = std::byte(0x81 + (2 * array + after) % 63);
  return guard;
}

std::string gibibytes(std::size_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

// Whether a copy is kept of what a launch finds there.
bool is_kept(Role role, const ArraySetup& how) {
  return role == Role::inout || (role == Role::in && how.shared());
}

// Adds up what a case will take. Returns `c`, for it stands in front of what allocates.
const Case& fitting(const Problem& problem, const Case& c, Backend& on, const ArraySetup& how) {
  const bool accelerator = traits_of(on).accelerator;
  std::size_t host = 0, device = 0;
  bind(problem, c, [&](const ArraySpec& spec) {
    if (spec.count < 0) throw Unsupported(fmt::format("array {} has a negative size", spec.name));
    const double count = static_cast<double>(spec.count);
    if (count * static_cast<double>(spec.element_size) > 1e15)
      throw Unsupported(
          fmt::format("array {} would have {:.3g} elements; choose a smaller case (--size, --axis)",
                      spec.name, count));
    const std::size_t bytes = spec.count * spec.element_size;
    // Two versions of what it holds before and after; a download, or a changed answer.
    host += (spec.role == Role::inout ? 6 : 4) * bytes;
    if (how.shared() && spec.role != Role::out) host += bytes;  // a fresh version
    (accelerator && spec.space == Space::device ? device : host) +=
        (1 + is_kept(spec.role, how)) * bytes + 2 * kGuard;
    return nullptr;
  });
  const auto refuse = [](const char* where, std::size_t need, std::size_t free) {
    throw Unsupported(
        fmt::format("needs {} of {} memory and {} are free; choose a smaller case (--size, --axis)",
                    gibibytes(need), where, gibibytes(free)));
  };
  const std::size_t host_free = on.free_bytes(Space::pageable);
  if (host + kHostSlack > host_free && host > std::min(kHostSlack, host_free) / 4)
    refuse("host", host, host_free);
  if (device && device > on.free_bytes(Space::device) * 0.95)
    refuse("device", device, on.free_bytes(Space::device));
  return c;
}

}  // namespace

struct Arrays::Array {
  const ArraySpec& spec;
  std::size_t bytes, before, behind;  // of the array itself, and of its guard bands
  std::byte* device = nullptr;        // the array itself
  std::byte* kept = nullptr;          // what prepare() restores from, of the loaded base

  bool is_output() const { return spec.role != Role::in; }
  std::size_t output_bytes() const { return is_output() ? bytes : 0; }
  std::byte* at(i64 index) const { return device + index * spec.element_size; }
};

struct Arrays::Sampled {
  int version;
  std::vector<Element> places;
};

Arrays::Arrays(const Problem& problem, const Case& c, Backend& backend, Answers& answers,
               const ArraySetup& how)
    : backend_(backend),
      answers_(answers),
      draw_new_inputs_(how.new_inputs),
      random_(how.shared() ? std::random_device{}() : answers.seed()) {
  const bool front = how.front && !traits_of(backend).accelerator;
  args_ = bind(problem, c, [&](const ArraySpec& spec) {
    answers.expect(arrays_.size(), &spec);
    const std::size_t bytes = spec.count * spec.element_size;
    const std::size_t rest = (kAlignment - bytes % kAlignment) % kAlignment;
    // What fills whole pages begins with one.
    const std::size_t behind = front       ? rounded_up(bytes + kGuard, kGuard) - bytes
                               : how.tight ? rest
                                           : kGuard + rest;
    Array& a = arrays_.emplace_back(
        Array{answers.arrays()[arrays_.size()].spec, bytes, front ? 0 : kGuard, behind});
    a.device = allocate(a.before + bytes + a.behind, spec.space, how.shared()) + a.before;
    output_bytes_ += a.output_bytes();
    name_memory(a.device - a.before, spec.name);
    backend.outline(a.device, bytes, spec.name);
    if (is_kept(spec.role, how)) a.kept = allocate(bytes + 1, spec.space);
    return a.device;
  });
  answers.expect(arrays_.size(), nullptr);
  for (const Answers::InputChange& change : answers.changes()) {
    std::map<Space, std::vector<std::byte>> both;  // in one piece: there may be a million
    for (const Answers::Element& e : change.inputs) {
      std::vector<std::byte>& to = both[arrays_[e.array].spec.space];
      const std::size_t at = to.size(), size = arrays_[e.array].spec.element_size;
      to.resize(at + 2 * kPlace);
      std::memcpy(&to[at], answers.arrays()[e.array].before(e.index), size);
      std::memcpy(&to[at + kPlace], e.value.data(), size);
    }
    auto& values = values_.emplace_back();
    for (const auto& [space, bytes] : both) {
      values[space] = allocate(bytes.size(), space);
      backend_.upload(values[space], bytes.data(), bytes.size(), space);
    }
  }
  if (answers.has_reference()) looked_ = allocate(kLooks * kPlaces * kPlace, Space::pinned);
  backend_.synchronize();
}

Arrays::~Arrays() = default;

std::byte* Arrays::allocate(std::size_t bytes, Space space, bool shared) {
  void* data = shared ? backend_.share(bytes, space) : backend_.allocate(bytes, space);
  allocations_.push_back(owned(backend_, data, space));
  return static_cast<std::byte*>(data);
}

std::vector<Region> Arrays::regions() const {
  std::vector<Region> regions;
  for (const Array& a : arrays_) regions.push_back({a.device, a.bytes, a.spec.space});
  return regions;
}

std::vector<SharedArray> Arrays::shared() const {
  std::vector<SharedArray> shared;
  for (const Array& a : arrays_)
    shared.push_back({backend_.place(a.device - a.before, a.spec.space),
                      a.before + a.bytes + a.behind, a.before});
  return shared;
}

void Arrays::load(int base) {
  if (base == base_) return;
  base_ = version_ = base;
  settle();
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    Array& a = arrays_[i];
    const Space space = a.spec.space;
    backend_.upload(a.device - a.before, guard_of(i, false, a.before).data(), a.before, space);
    backend_.upload(a.device + a.bytes, guard_of(i, true, a.behind).data(), a.behind, space);
    if (a.spec.role == Role::out) continue;
    const std::byte* initial = answers_.arrays()[i].initial[base].data();
    if (a.kept && kept_base_ != base) backend_.upload(a.kept, initial, a.bytes, space);
    a.kept ? lay(a) : backend_.upload(a.device, initial, a.bytes, space);
  }
  kept_base_ = base;
  settle();
}

// What changes next in host memory changes at once, and must not be overwritten by what was laid.
void Arrays::settle() {
  if (draw_new_inputs_) backend_.synchronize_stream();
}

// An array gets what it holds in this base.
void Arrays::lay(const Array& a) { backend_.copy(a.device, a.kept, a.bytes, a.spec.space); }

// Gives what differs between `version` and version 0 the values of the one or the other.
void Arrays::set(int version, bool changed) {
  if (version == Answers::kNewInputs) {
    settle();
    for (const Answers::Element& e : new_inputs_.elements) {
      const Array& a = arrays_[e.array];
      const std::byte* initial = answers_.arrays()[e.array].before(e.index);
      backend_.upload(a.at(e.index), changed ? e.value.data() : initial, a.spec.element_size,
                      a.spec.space);
    }
  }
  if (version < Answers::kBases) return;
  auto next = values_[version - Answers::kBases];
  for (const Answers::Element& e : answers_.changes()[version - Answers::kBases].inputs) {
    const Array& a = arrays_[e.array];
    std::byte*& values = next[a.spec.space];
    const std::byte* from = std::exchange(values, values + 2 * kPlace) + (changed ? kPlace : 0);
    if (a.spec.space != Space::device && !a.is_output())  // CUDA may read pageable memory before
      std::memcpy(a.at(e.index), from, a.spec.element_size);  // the stream gets there
    else
      backend_.copy(a.at(e.index), from, a.spec.element_size, a.spec.space);
  }
}

void Arrays::restore() {
  for (const Array& a : arrays_)
    if (a.spec.role == Role::out)
      backend_.fill(a.device, kPoison, a.bytes, a.spec.space);
    else if (a.is_output() || all_new())
      lay(a);
  set(version_, false);
  if (all_new()) settle();
}

void Arrays::prepare(int version) {
  restore();
  next(version);
  change();
}

void Arrays::next(int version) {
  version_ = version;
  before_ = std::exchange(launched_, version);
}

void Arrays::poison(bool all_new) {
  restore();
  next(draw(all_new));
  if (!this->all_new()) return;
  settle();
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (const auto& contents = new_inputs_.contents[i]; !contents.empty())
      backend_.upload(arrays_[i].device, contents.data(), contents.size(), arrays_[i].spec.space);
}

int Arrays::draw(bool all_new) {
  const int changes = static_cast<int>(answers_.changes().size());
  if (base_ != 0) return base_;
  // Of the others two of three have a single fresh value, and the third's answers are known.
  if (draw_new_inputs_ && answers_.has_reference() && (all_new || random_() % 3 > 0)) {
    draw_new_inputs_(answers_, all_new, random_, new_inputs_);
    if (!new_inputs_.elements.empty()) return Answers::kNewInputs;
  }
  if (changes == 0) return base_;
  // Version 0 and the changes are numbered 0, 1, 2 ... here; steps of 1 to `changes` never stay.
  const int now = version_ < Answers::kBases ? 0 : version_ - Answers::kBases + 1;
  const int next = (now + 1 + static_cast<int>(random_() % changes)) % (changes + 1);
  return next == 0 ? 0 : next + Answers::kBases - 1;
}

// An element of an output that the reference computed, if a few attempts find one.
Arrays::Element Arrays::place() {
  for (int attempt = 0;; ++attempt) {
    std::uint64_t at = random_() % output_bytes_;
    std::size_t i = 0;
    while (at >= arrays_[i].output_bytes()) at -= arrays_[i++].output_bytes();
    const auto index = static_cast<i64>(at / arrays_[i].spec.element_size);
    if (attempt == 8 || answers_.computed(i, index)) return {i, index};
  }
}

void Arrays::pick(const std::vector<Element>& elements, std::byte* to) {
  std::vector<Region> places;
  for (const auto& [i, index] : elements) {
    const Array& a = arrays_[i];
    places.push_back({a.at(index), a.spec.element_size, a.spec.space});
  }
  backend_.pick(places, to, kPlace);
}

std::string Arrays::untouched() {
  if (!looked_ || output_bytes_ == 0) return "";
  std::vector<Element> elements;
  while (elements.size() < kPlaces) elements.push_back(place());
  pick(elements, looked_);
  backend_.synchronize_stream();
  const std::vector<std::byte> poison(kPlace, std::byte{kPoison});
  for (std::size_t e = 0; e < kPlaces; ++e) {
    const auto& [i, index] = elements[e];
    const Answers::Array& a = answers_.arrays()[i];
    const auto* want = a.spec.role == Role::out ? poison.data() : a.before(index, base_);
    if (std::memcmp(looked_ + e * kPlace, want, a.spec.element_size) == 0) continue;
    base_ = -1;
    return fmt::format("{0} was written before the launch, at {0}[{1}]", a.spec.name, index);
  }
  return "";
}

void Arrays::look() {
  constexpr std::size_t kChanged = kPlaces / 8;  // of what this change and the last one touch, each
  if (!looked_ || looks_.size() == kLooks || output_bytes_ == 0) return;
  Sampled look{version_, {}};
  for (const int version : {before_, version_})
    if (version >= Answers::kBases)
      for (std::size_t i = 0; i < kChanged; ++i) {
        const auto& outputs = answers_.changes()[version - Answers::kBases].outputs;
        const Answers::Element& e = outputs[random_() % outputs.size()];
        look.places.emplace_back(e.array, e.index);
      }
  while (look.places.size() < kPlaces) look.places.push_back(place());
  pick(look.places, looked_ + looks_.size() * kPlaces * kPlace);
  looks_.push_back(std::move(look));
}

std::string Arrays::seen() {
  const std::vector<Sampled> looks = std::exchange(looks_, {});
  for (std::size_t l = 0; l < looks.size(); ++l)
    for (std::size_t p = 0; p < looks[l].places.size(); ++p) {
      const auto& [i, index] = looks[l].places[p];
      const std::string problem = answers_.check_element(
          i, index, looks[l].version, looked_ + (l * kPlaces + p) * kPlace, worst_);
      if (problem.empty()) continue;
      base_ = -1;  // the inputs and the guard bands may be spoilt too
      return looks.size() == 1
                 ? problem
                 : fmt::format("{}, in launch {} of {}", problem, l + 1, looks.size());
    }
  return "";
}

std::vector<std::byte> Arrays::outputs() {
  std::vector<std::byte> all;
  for (const Array& a : arrays_) {
    const std::size_t before = all.size(), bytes = a.output_bytes();
    all.resize(before + bytes);
    backend_.download(all.data() + before, a.device, bytes, a.spec.space);
  }
  return all;
}

std::string Arrays::check() {
  std::string problem;
  std::optional<SwappedInputs> meanwhile;
  if (version_ == Answers::kNewInputs) meanwhile.emplace(answers_, new_inputs_);
  for (const bool outputs : {true, false})  // these first, for late work must not gain time
    for (std::size_t i = 0; i < arrays_.size() && problem.empty(); ++i)
      if (arrays_[i].is_output() == outputs)
        problem = check_contents(i, std::max(version_, 0), worst_);
  meanwhile.reset();
  if (!problem.empty() && is_answer_before())
    problem += fmt::format(
        "; right for the launch before, in which {} different: keep nothing from launch to launch",
        version_ < Answers::kBases && before_ == 1 - version_ ? "all inputs were"
                                                              : "an input value was");
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (const std::string guard = check_guards(i); !guard.empty()) problem = guard;
  if (!problem.empty()) base_ = -1;
  return problem;
}

// What is outside explains best what is wrong inside.
std::string Arrays::check_guards(std::size_t i) {
  const Array& a = arrays_[i];
  const auto whole = [&](const std::byte* begin, std::size_t bytes, bool after) {
    std::vector<std::byte> got(bytes);
    backend_.download(got.data(), begin, bytes, a.spec.space);
    return got == guard_of(i, after, bytes);
  };
  const bool before = whole(a.device - a.before, a.before, false);
  if (before && whole(a.device + a.bytes, a.behind, true)) return "";
  return fmt::format("{} was written outside its bounds, {} its {}", a.spec.name,
                     before ? "behind" : "before", before ? "end" : "begin");
}

std::string Arrays::check_contents(std::size_t i, int version, WorstError& worst) {
  const Array& a = arrays_[i];
  if (a.bytes == 0) return "";
  if (!scratch_) {
    std::size_t most = 0;
    for (const Array& any : arrays_) most = std::max(most, any.bytes);
    scratch_ = allocate(most, Space::pinned);
  }
  backend_.download(scratch_, a.device, a.bytes, a.spec.space);
  return answers_.check(i, version, scratch_, worst);
}

// Whether the outputs are right for what the launch before found, which was something else.
bool Arrays::is_answer_before() {
  if (before_ < 0 || before_ == version_ || output_bytes_ == 0) return false;
  WorstError unused;
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].is_output() && !check_contents(i, before_, unused).empty()) return false;
  return true;
}

Data::Data(const Problem& problem, const Case& c, Backend& backend, std::uint64_t seed,
           const ArraySetup& how)
    : axes(c),
      answers(problem, fitting(problem, c, backend, how), seed, how.reference, how.changes),
      arrays(problem, c, backend, answers, how) {}

}  // namespace wb
