// Generations: the fastest so far are parents; a child takes each value from one of two, and now
// and then another one. What is good about two configurations can come together in one, which no
// walk of single steps can do.
#include <algorithm>

#include "strategies.h"

namespace tune {
namespace {

constexpr std::size_t kFirst = 16, kParents = 12, kChildren = 8;

class Evolutionary : public Proposer {
 public:
  explicit Evolutionary(const Setting& setting) : setting_(setting), generation_(setting) {}

  std::vector<Configuration> next(const History& history) override {
    generation_.begin(history);
    random_ = chance(setting_, history.size());
    std::vector<const Record*> parents;
    for (const Record& r : history)
      if (r.status == Status::ok) parents.push_back(&r);
    std::stable_sort(parents.begin(), parents.end(),
                     [](auto a, auto b) { return a->seconds < b->seconds; });
    parents.resize(std::min(parents.size(), kParents));
    const bool first = history.size() < kFirst || parents.empty();
    const std::size_t wanted = first ? kFirst : kChildren;
    while (generation_.size() < wanted)
      if ((first || !add_child(parents)) && !generation_.add_any()) break;
    return generation_.members();
  }

 private:
  // The better of two: the parents are sorted.
  const Configuration& select(const std::vector<const Record*>& parents) {
    return parents[std::min(random_() % parents.size(), random_() % parents.size())]->configuration;
  }

  // A child that is illegal or was tried changes on, until it may live.
  bool add_child(const std::vector<const Record*>& parents) {
    const Configuration &a = select(parents), &b = select(parents);
    Configuration child = a;
    for (std::size_t i = 0; i < child.size(); ++i)
      if (random_() % 2) child[i] = b[i];
    for (int tries = 0; tries < 50; ++tries) {
      if (generation_.add(child)) return true;
      const std::size_t i = random_() % child.size();
      const int last = static_cast<int>(setting_.space->parameters()[i].values.size()) - 1;
      child[i] = std::clamp(child[i] + (random_() % 2 ? 1 : -1), 0, last);
    }
    return false;
  }

  const Setting setting_;
  Generation generation_;
  std::mt19937_64 random_;
};

}  // namespace

std::unique_ptr<Proposer> make_evolutionary(const Setting& setting) {
  return std::make_unique<Evolutionary>(setting);
}

}  // namespace tune
