#include "measure/random_cases.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "measure/answers.h"
#include "measure/with_profile.h"
#include "wb/profiles.h"

namespace wb {
namespace {

// What a case takes. Its arrays may hold more than is read: rows far apart.
struct Demand {
  double flops = 0, bytes = 0, held = 0;
  bool even = true;  // each array ends where a page that nobody may touch can begin behind it

  bool within(const Demand& most) const {
    return flops <= most.flops && bytes <= most.bytes && held <= most.held;
  }
};

constexpr double kLeast = 0.05;  // of the most bytes: less is a matter of launches
constexpr int kUneven = 40;      // attempts at arrays that end where pages can
constexpr int kTiled = 8;  // so many of the first cases are whole tiles and ragged ones, in turn

// Nothing where bind() refuses it.
std::optional<Demand> demand_of(const Problem& problem, const Case& c) {
  Demand d;
  try {
    const auto args = bind(problem, c, [&](const ArraySpec& array) {
      d.held += static_cast<double>(array.count) * static_cast<double>(array.element_size);
      d.even = d.even && array.count * array.element_size % 256 == 0;
      return nullptr;
    });
    const Cost cost = problem.cost(args.get());
    d.flops = cost.flops, d.bytes = cost.bytes();
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return d;
}

// Whether some input is another one in case `with`, as its profile has it: a Fill may know of none.
bool differs(const Problem& problem, const Case& without, const Case& with) {
  constexpr std::uint64_t kSeed = 1;
  const auto specs = [&](const Case& c) {
    std::vector<ArraySpec> all;
    const WithProfile with_profile(problem, c, kSeed);
    bind(problem, c, [&](const ArraySpec& spec) {
      all.push_back(with_profile(spec, all.size()));
      return nullptr;
    });
    return all;
  };
  const std::vector<ArraySpec> before = specs(without), after = specs(with);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!after[i].fill || after[i].role == Role::out) continue;
    if (!before[i].fill) return true;
    const i64 step = std::max<i64>(1, after[i].count / 64);
    for (i64 e = 0; e < after[i].count; e += step)
      if (before[i].fill(e, kSeed) != after[i].fill(e, kSeed)) return true;
  }
  return false;
}

// Whether it has inputs of that profile there; infinities are for who knows NaN.
bool takes(const Problem& problem, Case c, const char* profile) {
  bool infinite = false;
  const Case without = c;
  try {
    c.set({"profile", profile});
    const auto args = bind(problem, c, [](const ArraySpec&) { return nullptr; });
    infinite = problem.tolerance(args.get()).nan;
    if (!differs(problem, without, c)) return false;
  } catch (const std::exception&) {
    return false;
  }
  return infinite || std::string_view(profile) != "inf";
}

// From 1 to `most`: what a tail, a tile's edge or a block's end may have been forgotten for.
i64 draw_size(i64 most, std::mt19937_64& random) {
  const auto up_to = [&](i64 end) {
    return static_cast<i64>(random() % static_cast<std::uint64_t>(end));
  };
  i64 size = 1 + up_to(most);
  int bits = 0;
  while (i64{2} << bits <= most) ++bits;
  switch (random() % 4) {
    case 0: break;
    case 1: size = (i64{1} << up_to(bits + 1)) + up_to(3) - 1; break;  // 2^i and its neighbours
    case 2: size = size / 32 * 32 + up_to(3) - 1; break;
    case 3: size = 1 + up_to(std::min<i64>(most, 300)); break;
  }
  return std::clamp<i64>(size, 1, most);
}

// What the listed cases ask for: of each axis its numbers, and the most of each demand.
struct Listed {
  std::map<std::string, std::set<i64>> numbers;
  Demand most;

  Listed(const Problem& problem, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      const Demand own = demand_of(problem, c).value_or(Demand{});
      most.flops = std::max(most.flops, own.flops), most.bytes = std::max(most.bytes, own.bytes);
      most.held = std::max(most.held, own.held);
      for (const Axis& axis : c)
        if (!axis.word) numbers[axis.name].insert(axis.number);
    }
  }
  // The largest number of an axis that is a size; 0: it is none.
  i64 largest(const Axis& axis) const {
    if (axis.word) return 0;
    const std::set<i64>& own = numbers.at(axis.name);
    return own.size() < 3 || *own.rbegin() <= 8 ? 0 : *own.rbegin();
  }
};

}  // namespace

std::vector<Case> alike(const std::vector<Case>& cases, const std::vector<Case>& like) {
  const auto fits = [](const Case& c, const Case& other) {
    return std::ranges::all_of(c, [&](const Axis& axis) {
      const std::string_view own = axis.word ? axis.word : "", its = other.word(axis.name);
      return own.empty() || its.empty() || own == its || std::isdigit(own[0]);
    });
  };
  std::vector<Case> found;
  for (const Case& c : cases)
    if (std::ranges::any_of(like, [&](const Case& other) { return fits(c, other); }))
      found.push_back(c);
  return found.empty() ? cases : found;
}

std::vector<Case> random_cases(const Problem& problem, int count, std::uint64_t seed,
                               const std::vector<Case>& like) {
  std::mt19937_64 random(seed);
  const std::vector<Case> of_goal = alike(problem.test, like);
  const Listed listed(problem, problem.test);
  // A kernel that takes whole tiles may forget the ragged end of one axis alone: so whether an axis
  // is a multiple of a tile (64 or 32) or not goes through all combinations of the first three axes
  // drawn, from one at random on, before chance has all of it.
  std::vector<Case> cases;
  unsigned combination = static_cast<unsigned>(random());
  int uneven = 0;  // cases drawn in vain
  unsigned odd_axis = combination;
  for (int attempt = 0; attempt < 100 * count && static_cast<int>(cases.size()) < count;
       ++attempt) {
    const int number = static_cast<int>(cases.size());
    const std::vector<Case>& from = number % 4 == 1 || number % 4 == 2 ? of_goal : problem.test;
    Case c = from[random() % from.size()];
    c.drop("size");
    const bool ends = number % 4 == 3 || (number % 2 == 1 && count > 4);
    int drawn = 0, sizes = 0;
    for (const Axis& axis : c) sizes += listed.largest(axis) > 0;
    for (Axis axis : Case(c)) {
      const i64 most = listed.largest(axis);
      if (most == 0) continue;
      axis.number = draw_size(most, random);
      const i64 tile = random() % 2 ? 64 : 32;
      const bool whole = combination >> drawn & 1;
      const bool odd = ends && uneven < kUneven / 2 &&
                       drawn == static_cast<int>(odd_axis % static_cast<unsigned>(sizes));
      ++drawn;
      if (odd) {
        axis.number -= axis.number % 2 == 0;
      } else if (ends && most >= 64) {
        axis.number = std::max<i64>(1, axis.number / 64) * 64;
      } else if (most >= 2 * tile && number < kTiled) {
        const i64 tiles = std::max<i64>(1, axis.number / tile) * tile;
        axis.number = whole ? tiles : axis.number % tile ? axis.number : axis.number - 1;
      }
      c.set(axis);
    }
    const auto own = demand_of(problem, c);
    if (!own || !own->within(listed.most)) continue;
    if (ends && !own->even && ++uneven < kUneven) continue;
    uneven = 0;
    odd_axis += ends;
    cases.push_back(c);
    ++combination;
  }
  return cases;
}

std::vector<Case> with_profiles(const Problem& problem, std::vector<Case> cases,
                                std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x2545f4914f6cdd1du);
  std::vector<const char*> left;  // to be drawn before one is drawn again
  const auto draw = [&](Case& c) {
    const auto found =
        std::ranges::find_if(left, [&](const char* profile) { return takes(problem, c, profile); });
    if (found == left.end()) return false;
    c.set({"profile", *found});
    left.erase(found);
    return true;
  };
  for (std::size_t i = 1; i < cases.size(); ++i) {
    if (draw(cases[i])) continue;
    std::vector<const char*> all(std::begin(kProfiles), std::end(kProfiles));
    std::ranges::shuffle(all, random);
    std::ranges::copy_if(all, std::back_inserter(left), [&](const char* profile) {
      return std::ranges::find(left, profile) == left.end();
    });
    draw(cases[i]);
  }
  return cases;
}

std::optional<Case> smaller(const Problem& problem, const Case& c, double share,
                            std::uint64_t seed) {
  constexpr i64 kEdge = 192;  // smaller ones may stand for the edge of a tile: 127, 129
  const Listed listed(problem, problem.test);
  std::vector<Axis> sizes;
  for (const Axis& axis : c)
    if (axis.number >= (axis.number % 64 ? kEdge : 128) && listed.largest(axis) > 0)
      sizes.push_back(axis);
  std::mt19937_64 random(seed ^ std::hash<std::string>{}(label(c)));
  std::ranges::shuffle(sizes, random);
  std::optional<Case> found;
  for (const Axis& size : sizes) {
    if (share >= 1) break;
    const i64 tile = size.number % 64 ? 32 : 64;
    const i64 tiles = size.number / tile;
    const auto kept = static_cast<i64>(share * static_cast<double>(tiles));
    Axis less = size;
    less.number = std::max<i64>(1, kept) * tile + size.number % tile;
    Case next = found.value_or(c);
    next.drop("size"), next.set(less);
    if (!demand_of(problem, next)) continue;
    share *= static_cast<double>(size.number) / static_cast<double>(less.number);
    found = next;
  }
  return found;
}

std::vector<Case> unlisted_cases(const Problem& problem, const std::vector<Case>& like, int count,
                                 std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Listed listed(problem, like);
  std::vector<Case> cases;
  for (int attempt = 0; attempt < 1000 * count && static_cast<int>(cases.size()) < count;
       ++attempt) {
    Case c = like[random() % like.size()];
    c.drop("size");
    for (Axis axis : Case(c)) {
      const i64 most = listed.largest(axis);
      if (most == 0) continue;
      const double of_all = std::ldexp(static_cast<double>(random()), -64);
      axis.number = std::llround(std::pow(static_cast<double>(most), of_all));
      c.set(axis);
    }
    const auto own = demand_of(problem, c);
    const bool listed_too = std::ranges::find(like, c) != like.end();
    if (own && own->within(listed.most) && own->bytes >= kLeast * listed.most.bytes && !listed_too)
      cases.push_back(c);
  }
  return cases;
}

}  // namespace wb
