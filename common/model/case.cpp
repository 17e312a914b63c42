#include <mutex>
#include <set>

#include "model/draws.h"
#include "wb/problem.h"
#include "wb/variant.h"

namespace wb {

std::string label(const Case& c) {
  std::string text;
  for (const Axis& axis : c) {
    text += text.empty() ? "" : ",";
    if (!axis.word || (*axis.word >= '0' && *axis.word <= '9'))
      text += std::string(axis.name) + "=";
    text += axis.word ? axis.word : std::to_string(axis.number);
  }
  return text.empty() ? "empty" : text;
}

const char* keep(std::string_view text) {
  static std::set<std::string, std::less<>> kept;
  static std::mutex mutex;  // results are read in several threads
  const std::lock_guard lock(mutex);
  const auto found = kept.find(text);
  return (found != kept.end() ? found : kept.emplace(text).first)->c_str();
}

namespace {

thread_local Draw last = {};
Draw other = {};
double other_away = 0;  // changed, as `other` is, only while nothing is drawn

// SplitMix64's finalizer (Steele, Lea, Flood 2014) on a counter: element i costs the same whatever
// was drawn before it, so arrays fill in parallel and any part can be drawn again.
double draw(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) * 0x1p-23 - 1.0;
}

}  // namespace

double uniform(std::uint64_t seed, std::uint64_t index) {
  last = {seed, index};
  const double value = draw(seed, index);
  if (other_away == 0 || seed != other.seed || index != other.index) return value;
  return value + other_away < 1 ? value + other_away : value + other_away - 2;
}

Draw last_draw() { return last; }

Redraw::Redraw(Draw draw, double away) { other = draw, other_away = away; }
Redraw::~Redraw() { other_away = 0; }

Registry& linked_variants() {
  static Registry all;
  return all;
}

bool link_variant(const Problem& problem, const char* name, const char* backend,
                  std::function<Launch(const void*)> make) {
  linked_variants().push_back({&problem, name, backend, std::move(make)});
  return true;
}

}  // namespace wb
